"""The SQL, built once: building a statement costs more than running it, and some run under a lock."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    Update,
    and_,
    bindparam,
    case,
    func,
    insert,
    literal,
    or_,
    select,
    union_all,
    update,
)

from equiwarp.store.records import SPENT, TAKEN
from equiwarp.store.schema import assessments, campaigns, counts, events, experiments

_c, _x, _e, _n, _a = campaigns.c, experiments.c, events.c, counts.c, assessments.c
_of = _x.campaign == bindparam("campaign")
_by_id = _c.id == bindparam("campaign")
_now: BindParameter[str] = bindparam("now")

# A lease ends by the clock: from that moment on every reader sees the experiment as released, and the next
# writer writes it down. Only what is pending has a lease.

#: What the column ``state`` calls pending and is: nobody's lease, or one that has not ended.
_held = or_(_x.lease.is_(None), _x.lease > _now)
#: The state of an experiment at this moment.
_state = case((_held, _x.state), else_=literal("released")).label("state")

# Campaigns, as CampaignEntry and CampaignRecord

_entry = select(_c.id, _c.name, _c.created, _c.version)
ENTRIES = _entry.order_by(_c.id)
ENTRY = _entry.where(_by_id)
ENTRY_NAMED = _entry.where(_c.name == bindparam("name"))
_campaign = select(
    _c.id, _c.name, _c.created, _c.asks, _c.numbers, _c.sequence, _c.version, _c.edition, _c.learned,
    _c.domain, _c.settings,
)  # fmt: skip
FIND = _campaign.where(_c.name == bindparam("name"))
LOOK = _campaign.where(_by_id)
TAKE = LOOK.with_for_update()
INSERT_CAMPAIGN = insert(campaigns)

# Experiments, as ExperimentRecord

EXPERIMENT = (
    _x.number, _state, _x.origin, _x.inside, _x.point, _x.key, _x.ask, _x.value, _x.noise, _x.why,
    _x.reason, _x.created, _x.changed, _x.about, _x.lease,
)  # fmt: skip
_experiment = select(*EXPERIMENT).where(_of)
ONE = _experiment.where(_x.number == bindparam("number"))
ALL = _experiment.order_by(_x.number)
_states: BindParameter[list[str]] = bindparam("states", expanding=True)
IN_STATES = ALL.where(
    or_(and_(_x.state.in_(_states), _held), and_(_x.lease <= _now, literal("released").in_(_states)))
)
SOME = ALL.where(_x.number.in_(bindparam("numbers", expanding=True)))
OF_ASK = _experiment.where(_x.ask == bindparam("ask")).order_by(_x.place)
_other = experiments.alias()
#: Released points of the fixed sequence whose location nobody has taken since, oldest first.
RELEASED = (
    _experiment.where(or_(_x.state == "released", _x.lease <= _now), _x.origin == "sequence")
    .where(
        ~select(_other.c.number)
        .where(_other.c.campaign == _x.campaign, _other.c.key == _x.key)
        .where(_other.c.state.in_(SPENT), or_(_other.c.lease.is_(None), _other.c.lease > _now))
        .exists()
    )
    .order_by(_x.number)
)
INSERT_EXPERIMENTS = insert(experiments)

# Single columns of experiments

KNOWN = (
    select(_x.number, _state, _x.origin, _x.inside, _x.point, _x.value, _x.noise, _x.about, _x.reason)
    .where(_of)
    .order_by(_x.number)
)
KEYS_IN = select(_x.key).where(
    _of,
    _x.key.in_(bindparam("keys", expanding=True)),
    _x.state.in_(_states),
    _held,
)
#: Values that are known at these locations.
VALUES_AT = select(_x.key, _x.value, _x.about).where(
    _of, _x.key.in_(bindparam("keys", expanding=True)), _x.value.is_not(None), _x.state != "withdrawn"
)
POINTS_AFTER = select(_x.point).where(
    _of, _x.number > bindparam("number"), _x.state.in_(TAKEN), _held, _x.inside
)
PENDING_SINCE = (
    select(_x.number).where(_of, _x.state == "pending", _x.changed <= bindparam("limit")).order_by(_x.number)
)
#: Pending experiments whose lease has ended.
LEASE_ENDED = select(_x.number).where(_of, _x.lease <= _now).order_by(_x.number)
CAMPAIGNS_ENDED = select(_x.campaign).where(_x.lease <= _now).distinct().order_by(_x.campaign)
#: Who holds a location.
HOLDER = select(func.min(_x.number)).where(_of, _x.claim == bindparam("key"))
OLDEST_PENDING = select(func.min(_x.changed)).where(_of, _x.state == "pending", _held)
#: How many experiments there are of each state, origin and side of the domain's border, with values or not.
_counted = (_n.state, _n.origin, _n.inside, _n.valued, _n.n)
COUNTS = select(*_counted).where(_n.campaign == bindparam("campaign"))
COUNTS_OF_ALL = select(_n.campaign, *_counted)
#: The same of those whose lease has ended, which are counted as pending there.
_sorts = (_x.state, _x.origin, _x.inside, _x.value.is_not(None))
COUNTS_ENDED = select(*_sorts, func.count()).where(_of, _x.lease <= _now).group_by(*_sorts)
_all_sorts = (_x.campaign, *_sorts)
COUNTS_ENDED_OF_ALL = select(*_all_sorts, func.count()).where(_x.lease <= _now).group_by(*_all_sorts)
ADDED_INSIDE = select(func.coalesce(func.sum(_n.n), 0)).where(
    _n.campaign == bindparam("campaign"), _n.origin == "added", _n.inside
)

# Events, as Event

_event = select(_e.id, _e.at, _e.who, _e.what, _e.number, _e.detail)
WITH_TOKEN = _event.where(_e.token == bindparam("token"))
EVENTS = _event.where(_e.campaign == bindparam("campaign"), _e.id > bindparam("after")).order_by(_e.id)
EVENTS_OF_ONE = EVENTS.where(_e.number == bindparam("number"))
FIRST_EVENT = EVENTS.limit(1)
INSERT_EVENTS = insert(events)
#: When something happened last in each campaign.
LAST_ACTIVITY = select(_e.campaign, _e.at).where(_e.id.in_(select(func.max(_e.id)).group_by(_e.campaign)))
#: What was last said about putting each campaign away or taking it out again.
PUT_AWAY = select(_e.campaign, _e.what).where(
    _e.id.in_(select(func.max(_e.id)).where(_e.what.in_(("put away", "taken out"))).group_by(_e.campaign))
)
#: A row if the experiment was changed at this moment before.
HAD_STAMP = union_all(
    select(_x.number).where(
        _of,
        _x.number == bindparam("number"),
        or_(_x.created == bindparam("stamp"), _x.changed == bindparam("stamp")),
    ),
    select(_e.number).where(
        _e.campaign == bindparam("campaign"), _e.number == bindparam("number"), _e.at == bindparam("stamp")
    ),
)

# Digests: whole rows, and the ends of the chains

HEAD = select(_c.head).where(_by_id).with_for_update()
SET_HEAD = update(campaigns).where(_by_id).values(head=bindparam("new_head"))
ROWS = (
    select(experiments)
    .where(_of, _x.number >= bindparam("first"), _x.number <= bindparam("last"))
    .order_by(_x.number)
)
LAST_EVENT = select(_e.id, _e.chain).order_by(_e.id.desc()).limit(1)
CHAIN_OF = select(_e.chain).where(_e.id == bindparam("event"))


# What the last map said

_assessment = _a.campaign == bindparam("campaign")
ASSESSMENT = select(_a.learned, _a.made, _a.content).where(_assessment)
INSERT_ASSESSMENT = insert(assessments)
#: One of an earlier state does not take the place of a later one.
RENEW_ASSESSMENT = (
    update(assessments)
    .where(_a.campaign == bindparam("its_campaign"), _a.learned <= bindparam("new_learned"))
    .values({name: bindparam(f"new_{name}") for name in ("learned", "made", "content")})
)


@cache
def change_campaign(columns: tuple[str, ...], learns: bool) -> Update:
    """Set these columns of a campaign, to parameters called ``new_...``; the version always grows.

    ``learns``: what a map is made from has changed, or may have.
    """
    values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in columns}
    if learns:
        values["learned"] = _c.version + 1
    return update(campaigns).where(_by_id).values(version=_c.version + 1, **values)


@cache
def move(columns: tuple[str, ...]) -> Update:
    """Set these columns of an experiment if its state is one of those expected."""
    return (
        update(experiments)
        .where(_x.campaign == bindparam("its_campaign"))
        .where(_x.number == bindparam("its_number"))
        .where(_x.state.in_(bindparam("expected", expanding=True)))
        .values({name: bindparam(f"new_{name}") for name in columns})
    )


#: New keys for the same experiments, after the domain has changed.
REKEY = (
    update(experiments)
    .where(_x.campaign == bindparam("its_campaign"), _x.number == bindparam("its_number"))
    .values(
        key=bindparam("new_key"),
        inside=bindparam("new_inside"),
        # Not yet the key itself: another row may still hold that claim.
        claim=case((_x.claim.is_not(None), literal("moving ") + bindparam("new_key")), else_=None),
    )
)
RECLAIM = (
    update(experiments)
    .where(_x.campaign == bindparam("its_campaign"), _x.claim.is_not(None))
    .values(claim=_x.key)
)
