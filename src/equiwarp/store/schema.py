"""The tables, as the newest migration leaves them.

``campaigns`` holds what was decided once, and the counters. ``experiments`` holds the present state of every
experiment, ``counts`` how many there are of each sort. ``events`` holds everything that ever happened; it
only grows, and triggers in the database see to that. State and event are always written in one transaction.
``assessments`` holds what the last map said, which can be computed again at any time.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

#: Alembic's version table under a name of our own: the database may belong to others too.
VERSION_TABLE = "equiwarp_schema"

metadata = MetaData()

_serial = BigInteger().with_variant(Integer, "sqlite")

campaigns = Table(
    "equiwarp_campaigns",
    metadata,
    Column("id", _serial, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Text, nullable=False),
    Column("domain", Text, nullable=False),  # JSON
    Column("settings", Text, nullable=False),  # JSON: seed, strategy, start, noise, responses, ...
    Column("asks", BigInteger, nullable=False),  # ask numbers given out
    Column("numbers", BigInteger, nullable=False),  # experiment numbers given out
    Column("sequence", BigInteger, nullable=False),  # points of the open-loop sequence given out
    Column("version", BigInteger, nullable=False),  # grows with every change
    Column("edition", BigInteger, nullable=False, server_default="0"),  # grows when the description changes
    Column("head", Text),  # the digest of the last event
    # The version that last changed what a map is made from: to hand out experiments does not.
    Column("learned", BigInteger, nullable=False, server_default="0"),
)

experiments = Table(
    "equiwarp_experiments",
    metadata,
    Column("campaign", ForeignKey(campaigns.c.id), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("inside", Boolean, nullable=False),
    Column("point", Text, nullable=False),  # JSON list, the domain's columns
    Column("key", Text, nullable=False),  # equal keys: the same location
    Column("claim", Text),  # the key while this experiment alone may be at that location
    Column("ask", BigInteger),
    Column("place", BigInteger),
    Column("value", Text),  # JSON list, one per response
    Column("noise", Text),  # JSON list, one per response
    Column("why", Text),  # JSON
    Column("reason", Text),
    Column("about", Text),  # JSON object, see records.Particulars
    Column("lease", Text),  # while it is pending: when it is released by itself
    Column("created", Text, nullable=False),
    Column("changed", Text, nullable=False),
    UniqueConstraint("campaign", "claim", name="equiwarp_one_claim"),
    UniqueConstraint("campaign", "ask", "place", name="equiwarp_one_place"),
)
Index("equiwarp_by_key", experiments.c.campaign, experiments.c.key)
Index("equiwarp_by_state", experiments.c.campaign, experiments.c.state)
# In the database only of rows that have a lease; to say so here would load the dialects of all databases.
Index("equiwarp_by_lease", experiments.c.campaign, experiments.c.lease)

#: How many experiments there are of each sort; triggers keep it up to date.
counts = Table(
    "equiwarp_counts",
    metadata,
    Column("campaign", _serial, primary_key=True),
    Column("state", Text, primary_key=True),
    Column("origin", Text, primary_key=True),
    Column("inside", Boolean, primary_key=True),
    Column("valued", Boolean, primary_key=True),  # whether there is a value of some response
    Column("n", BigInteger, nullable=False),
)

#: What the last map of a campaign said, and which ``learned`` it was made from.
assessments = Table(
    "equiwarp_assessments",
    metadata,
    Column("campaign", _serial, primary_key=True),
    Column("learned", BigInteger, nullable=False),
    Column("made", Text, nullable=False),
    Column("content", Text, nullable=False),  # JSON object
)

events = Table(
    "equiwarp_events",
    metadata,
    Column("id", _serial, primary_key=True),
    Column("campaign", ForeignKey(campaigns.c.id), nullable=False),
    Column("number", BigInteger),
    Column("at", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("detail", Text, nullable=False),  # JSON
    Column("token", Text),  # lets a repeated request be recognised
    Column("leaves", Text),  # digests of the rows that it left
    Column("chain", Text),  # digest of it and of all before it
)
Index("equiwarp_one_token", events.c.token, unique=True)
Index("equiwarp_by_experiment", events.c.campaign, events.c.number)
