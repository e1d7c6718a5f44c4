"""Campaign files to begin with, one a kind of domain. Every one is valid as it stands."""

from __future__ import annotations

_HEAD = """\
# A campaign file of equiwarp. Edit it, then:
#   equiwarp check {file}     says every mistake at once
#   equiwarp new {file}       begins the campaign

name = "{name}"
description = "What is mapped, and why."

"""

_TAIL = """
# What is measured; repeat the block for further responses.
[[responses]]
name = "{response}"
unit = "{unit}"
# Standard deviation of one measurement, in the response's unit.
# Leave it out if it is unknown: it is then estimated, best from a few repeated measurements.
# noise = 0.05
# A value outside this range is taken only from somebody who is sure of it.
# low = 0
# high = 100

# When may mapping stop? It is reported, never enforced. Either or both:
[stop]
# error = 0.1                  # the map's error is below this, in the response's unit
# gain_per_experiment = 0.001  # one more experiment lowers it by less than this
# Several responses: one number holds for each of them, or give each its own by name:
# error = {{ {response} = 0.1 }}

# Where must the map be good? Left out: everywhere. Choose what you need, and see the guide, "Aim":
# [aim]
# near = {{ {response} = 60 }}            # find the contour
# above = {{ {response} = 80 }}           # map the good region well; below, between = [40, 60] alike
# weight = "1 + 4 * (NAME > 60)"       # or where an expression of the parameters is large
"""

_CHOICES = """\
# How experiments are chosen, and the seed of every random choice. map serves the map that equiwarp
# draws, lookahead-nn a plain table of measurements, equiwarp is the published method.
strategy = "map"
seed = 0
# Size of the space-filling start; left out, it follows from the number of parameters.
# n0 = 12
# Recorded with every experiment; an "offset" is estimated and taken off the values of each block.
# blocks = {day = "offset", operator = "record"}
# What it costs to change a parameter over its whole range: batches come in the cheapest order.
# change_cost = {NAME = 30}

"""

_BOX = """\
# Independent parameters, each between two bounds.
[domain]
type = "box"
# Combinations that are not allowed: sums, products, quotients and powers, compared with <= or >=.
constraints = ["temperature * minutes <= 3000"]

[[domain.parameters]]
name = "temperature"
low = 20
high = 90
unit = "°C"
step = 0.5          # the instrument's resolution; leave it out if any value can be set

[[domain.parameters]]
name = "minutes"
low = 1
high = 100
unit = "min"
scale = "log"       # factors count, not differences

[[domain.parameters]]
name = "pH"
levels = [3, 4, 5, 6, 7]    # these values only

# [[domain.parameters]]
# name = "solvent"
# categories = ["water", "ethanol"]   # names without an order

# [[domain.parameters]]
# name = "angle"
# low = 0
# high = 360
# periodic = true                     # 360 is 0 again
"""

_PRODUCT = """\
# Several domains at once: here a mixture, and how it is treated.
[domain]
type = "product"
# Constraints may be over all of it.
constraints = ["water * temperature <= 3000"]

[[domain.parts]]
type = "simplex"
total = 100
unit = "%"

[[domain.parts.components]]
name = "resin"
low = 20

[[domain.parts.components]]
name = "water"

[[domain.parts.components]]
name = "pigment"

[[domain.parts]]
type = "box"

[[domain.parts.parameters]]
name = "temperature"
low = 20
high = 60
unit = "°C"

[[domain.parts.parameters]]
name = "binder"
categories = ["acrylic", "alkyd", "epoxy"]
"""

_SIMPLEX = """\
# A mixture: components that add up to a total.
[domain]
type = "simplex"
total = 100
unit = "%"
# Upper bounds and other conditions.
constraints = ["ethanol <= 60"]

[[domain.components]]
name = "water"
low = 20            # at least this much

[[domain.components]]
name = "ethanol"

[[domain.components]]
name = "glycerol"
"""

_CANDIDATES = """\
# A fixed list of experiments: the columns of a CSV file beside this one.
[domain]
type = "candidates"
csv = "{stem}-candidates.csv"
total = 100                      # mixtures: what each row adds up to; leave it away for any other list
# columns = ["copper", "zinc"]   # if not all columns count; without a total, then
"""

_SPHERE = """\
# Directions: unit vectors x1, x2, x3. dim = 2 is the ordinary sphere in space.
[domain]
type = "sphere"
dim = 2
# constraints = ["x3 >= 0"]      # a half sphere
"""

#: Rows of the list that goes with the candidates example.
CANDIDATES_CSV = (
    "copper,zinc,tin\n"
    + "\n".join(f"{cu},{zn},{100 - cu - zn}" for cu in range(60, 92, 4) for zn in range(2, 40 - (cu - 60), 5))
    + "\n"
)

KINDS = {
    "box": (_BOX, "yield", "%"),
    "simplex": (_SIMPLEX, "viscosity", "mPa s"),
    "candidates": (_CANDIDATES, "hardness", "HV"),
    "sphere": (_SPHERE, "reflectance", ""),
    "product": (_PRODUCT, "gloss", "%"),
}


def example(kind: str, file: str, stem: str) -> str:
    """The text of an example file."""
    domain, response, unit = KINDS[kind]
    head = _HEAD.format(file=file, name=stem)
    return head + _CHOICES + domain.format(stem=stem) + _TAIL.format(response=response, unit=unit)
