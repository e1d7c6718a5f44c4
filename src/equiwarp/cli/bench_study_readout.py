"""``equiwarp bench study readout``: does the comparison hang on the lengthscale of the GP readout?"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from equiwarp.cli.bench_study import OUT


@click.command("readout")
@OUT
@click.option(
    "--designs",
    default=Path("docs/results/designs"),
    show_default=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of packed designs.",
)
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="Seeds of each function.")
def readout_command(out: Path, designs: Path, seeds: int) -> None:
    """Score stored designs by GPs of several fixed lengthscales, of which the paper names none.

    Records go to OUT/readout-lengthscale.csv, from where the results page takes them.

    \b
    Examples:
      equiwarp bench study readout --seeds 3 --out docs/results/tables
    """
    from tqdm import tqdm

    from equiwarp.bench.pages.other_readouts import LENGTHSCALE_TABLE, lengthscale_part
    from equiwarp.bench.storage.csv_records import write_records
    from equiwarp.bench.storage.packed import packed_files, read_packed
    from equiwarp.bench.studies.readout_lengthscale import FACTORS, lengthscale_records, rescored, wanted

    packed = [one for file in packed_files(designs) for one in read_packed(file)]
    cells = [one.cell() for one in packed if wanted(one.record, one.as_usual, seeds)]
    records = []
    for factor in FACTORS:
        watch = partial(tqdm, desc=f"{factor:g} spacings", unit="design")
        records += lengthscale_records(rescored(cells, factor, watch), factor)
    write_records(out / LENGTHSCALE_TABLE, records, 4)
    click.echo(lengthscale_part(out))
