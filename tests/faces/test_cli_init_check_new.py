"""`init` and `check`: examples that are valid as they stand, and mistakes that are all named."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from equiwarp.cli import main
from equiwarp.cli.example import KINDS
from equiwarp.spec import CampaignSpec


def run(*words, code=0):
    result = CliRunner().invoke(main, [str(w) for w in words])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_every_example_is_valid_and_begins_a_campaign(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("init", "melt.toml", "--kind", kind)
    assert "No mistakes." in run("check", "melt.toml").output
    spec = CampaignSpec.from_toml("melt.toml")
    assert json.loads(run("check", "melt.toml", "-f", "json").stdout) == spec.to_dict()
    assert spec.name == "melt"
    run("new", "melt.toml")
    assert len(json.loads(run("ask", "-n", 3, "-f", "json").stdout)) == 3
    run("init", "melt.toml", "--kind", kind, code=1)
    run("init", "melt.toml", "--kind", kind, "--force")


def test_check_names_every_mistake_and_fails(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(
        'nam = "x"\nseed = -1\nnoise = 0.1\n[domain]\ntype = "box"\nparameters = {a = [3, 1], b = [0, 1]}\n'
        'constraints = ["a + c <= 1"]\n',
        encoding="utf-8",
    )
    said = run("check", file, code=1).stderr
    for part in (
        "6 mistakes in",
        "name: is missing",
        "nam: is not a known field here; did you mean 'name'?",
        "noise: is not a known field here; it belongs to another part of the description",
        "seed: must be greater than or equal to 0",
        "domain.parameters.a: the lower bound must be below",
        "domain.constraints[1]: constraint 'a + c <= 1', column 5: unknown parameter 'c'",
    ):
        assert part in said
    listed = json.loads(run("check", file, "-f", "json", code=1).stdout)
    assert {row["path"] for row in listed} == {
        "name", "nam", "noise", "seed", "domain.parameters.a", "domain.constraints[1]",
    }  # fmt: skip
    run("check", tmp_path / "none.toml", code=1)


def test_help_is_quick_because_it_loads_nothing():
    code = (
        "import sys; from equiwarp.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "loaded = {'numpy', 'scipy', 'sqlalchemy', 'pydantic', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(f'loaded {loaded}' if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_real_process_ends_with_the_documented_codes_and_completes(tmp_path):
    command = [sys.executable, "-c", "from equiwarp.cli import main; main(prog_name='equiwarp')"]

    def run_process(*words, **environment):
        return subprocess.run(
            [*command, *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, **environment},
        )

    assert run_process("status").returncode == 4
    assert run_process("ask", "--what").returncode == 2
    assert run_process("check", "none.toml").returncode == 1
    completed = run_process(
        _EQUIWARP_COMPLETE="bash_complete", COMP_WORDS="equiwarp for", COMP_CWORD="1"
    ).stdout
    assert completed.strip() == "plain,forecast"


def test_the_hint_after_new_can_be_copied(tmp_path, monkeypatch):
    """It names the store, unless that is the one that every command looks for."""
    monkeypatch.chdir(tmp_path)
    run("init", "a.toml")
    assert run("new", "a.toml").output.splitlines()[-1].endswith("--csv plate.csv")
    said = run("new", "a.toml", "--store", "my lab.db").output.splitlines()[-1]
    assert said.endswith("--csv plate.csv --store 'my lab.db'")


def test_a_list_with_names_of_samples_is_refused_once_and_with_the_remedy(tmp_path):
    (tmp_path / "alloys.csv").write_text("Cu;Zn;name\n60,5;39,5;A0\n70;30;A1\n", encoding="utf-8")
    file = tmp_path / "alloys.toml"
    text = 'name = "a"\nresponses = [{name = "y"}]\n[domain]\ntype = "candidates"\ncsv = "alloys.csv"\n'
    file.write_text(text, encoding="utf-8")
    said = run("check", file, code=1).stderr
    assert "no number stands in 'name'; take texts out, or name the columns that count: " in said
    assert 'columns = ["Cu", "Zn"]' in said
    assert "'A0'" not in said
    file.write_text(f'{text}columns = ["Cu", "Zn"]\n', encoding="utf-8")
    assert "2 experiments are on the list" in run("check", file).output


def test_an_upper_bound_of_a_component_is_a_constraint(tmp_path):
    file = tmp_path / "paint.toml"
    file.write_text(
        'name = "a"\nresponses = [{name = "gloss"}]\n[domain]\ntype = "simplex"\n'
        'components = [{name = "resin"}, {name = "pigment", high = 30}]\n',
        encoding="utf-8",
    )
    said = run("check", file, code=1).stderr
    assert 'pigment.high: is not a known field here; write constraints = ["NAME <= 30"]' in said
