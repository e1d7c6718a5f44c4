"""`equiwarp demo`: map a simulated experiment and compare with the same budget spent otherwise."""

from __future__ import annotations

from pathlib import Path

import click

from equiwarp.cli.demo_experiment import ARMS, BOX, N0, NOISE, OURS, DemoOutcome, run_arm


@click.command()
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default="demo.png", show_default=True)
@click.option(
    "--budget", type=click.IntRange(N0 + 1, 500), default=60, show_default=True, help="measurements in all"
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
def demo(out: Path, budget: int, seed: int) -> None:
    """Map a simulated two-parameter experiment with noise.

    Spends the same budget with equiwarp, with farthest-point sampling and with plain variance, says
    how far each map is from the truth, and draws the map.

    \b
    Examples:
      equiwarp demo
      equiwarp demo --budget 100 --seed 3 --out bench.png
    """
    from tqdm import tqdm

    from equiwarp.cli.demo_figure import draw

    click.echo(
        f"Simulated experiment: yield over {', '.join(BOX.names)}; noise {NOISE}; {budget} measurements,"
    )
    click.echo(f"the first {N0} the same for all three strategies.")
    with tqdm(total=len(ARMS) * (budget - N0), unit="measurement", desc="measuring") as progress:
        outcomes = {arm: run_arm(arm, budget, seed, progress) for arm in ARMS}

    click.echo("\nError of the map (root mean square against the truth, lower is better)")
    for arm, label in ARMS.items():
        final = outcomes[arm].errors[-1]
        click.echo(f"  {label:24s}{final:8.4f}" + _against(arm, outcomes))
    expected = outcomes[OURS].map.error()[0].value
    click.echo(f"\nequiwarp itself expects an error of {expected:.4f}, without knowing the truth.")
    draw(outcomes, out)
    click.echo(f"Figure: {out}")


def _against(arm: str, outcomes: dict[str, DemoOutcome]) -> str:
    """In words, how an arm compares with ours."""
    if arm == OURS:
        return ""
    ratio = outcomes[arm].errors[-1] / outcomes[OURS].errors[-1]
    comparison = f"{ratio:.1f} times" if ratio >= 1 else f"only {ratio:.2f} times"
    return f"   {comparison} that of equiwarp"
