"""Tables as laboratories have them: separators, decimal commas, encodings, titles, headings with units."""

from __future__ import annotations

import io

import pytest

from equiwarp import Box
from equiwarp.exceptions import TableError
from equiwarp.tables.columns import CampaignColumns, same_unit
from equiwarp.tables.measurements import read_measurements
from equiwarp.tables.table import read_numbers, read_table

BOX = Box({"dose": {"low": 1, "high": 1000, "unit": "µm"}, "pH": (3, 9)})
COLUMNS = CampaignColumns.of(BOX, ["thickness", "cost"], {"thickness": "nm"})


def numbers_of(text):
    return read_numbers(io.StringIO(text)).rows.tolist()


def refused(text):
    with pytest.raises(TableError) as caught:
        numbers_of(text)
    return caught.value


@pytest.mark.parametrize("separator", [";", "\t"])
def test_semicolons_and_tabs_make_a_comma_a_decimal_one(separator):
    text = "a;b\n1,5;2\n-0,25;1,5e3\n,5;1,234\n".replace(";", separator)
    assert numbers_of(text) == [[1.5, 2], [-0.25, 1500], [0.5, 1.234]]
    assert numbers_of("a;b\n0,125;2\n".replace(";", separator)) == [[0.125, 2]]  # no thousands begin with 0


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("a,b\n1.234,2\n", 1.234),  # between commas a point is a decimal one
        ("a\tb\n1.234\t2\n", 1.234),
        ("a;b\n1.234;12.5\n", 1.234),  # 12.5 tells
        ("a;b\n1.234;0.125\n", 1.234),
        ("a;b\n1.2340;2\n", 1.234),  # what the refusal of 1.234 advises
        ("a;b\n1,234;2\n", 1.234),  # semicolons go with decimal commas
        ("a\tb\n1,234\t12,5\n", 1.234),
    ],
)
def test_three_digits_are_read_where_separator_or_other_numbers_tell(text, number):
    assert numbers_of(text)[0][0] == number


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("1.234", "'1.234' is ambiguous in a table with decimal commas; write 1234 without points, or 1,234"),
        ("12.345.678", "'12.345.678' has thousands separators; write 12345678 without"),
        ("1,234,567", "'1,234,567' has thousands separators; write 1234567 without"),
        ("1.234,5", "'1.234,5' has thousands separators; write 1234,5 without"),
    ],
)
def test_a_point_that_may_separate_thousands_is_not_guessed(cell, said):
    error = refused(f"a;b\n1,5;2\n{cell};3\n")
    assert error.code == "decimal_comma"
    assert f"line 3, column 'a': {said}" in str(error)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a;b\n7;2\n1.234;3\n", "line 3, column 'a': '1.234' is ambiguous"),
        ("a;b\n7;2\n1.234;3\n", "write 1234 without a point, or 1.2340 with one more zero"),
        ("a\tb\n1,234\t3\n", "'1,234' is ambiguous; write 1234 if the comma separates thousands, else 1.234"),
        ('a,b\n"1,234",3\n', "'1,234' is ambiguous; write 1234 if the comma separates thousands, else 1.234"),
        ('a,b\n"1,234,567",3\n', "'1,234,567' has thousands separators; write 1234567 without"),
        ('a,b\n"1,234.5",3\n', "'1,234.5' has thousands separators; write 1234.5 without"),
        ("a;b\n1.234.567;2.5\n", "'1.234.567' has thousands separators; write 1234567 without"),
        ("a;b\n1.234;1,234\n", "'1,234' has a comma, but '1.234' (line 2, column 'a') has a decimal point"),
    ],
)
def test_where_nothing_tells_thousands_are_not_guessed(text, said):
    assert said in str(refused(text))


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize(("point", "comma"), [("12.5", "1,234"), ("<=0.5", ">1,234"), ("1.234e3", "12,500")])
def test_numbers_with_points_and_others_with_commas_are_refused_and_named(separator, point, comma):
    rows = ["dose;pH;thickness;cost", f"10;4;{point};", f"10;4;7;{comma}"]
    with pytest.raises(TableError) as caught:
        read_measurements(
            read_table(io.StringIO("\n".join(rows).replace(";", separator)), "p.csv"), BOX, COLUMNS
        )
    said = f"{comma.lstrip('<=>')!r} has a comma, but {point.lstrip('<=>')!r} (line 2, column 'thickness')"
    assert str(caught.value).startswith(
        f"p.csv, line 3, column 'cost': {said} has a decimal point; write all"
    )
    assert caught.value.code == "decimal_comma"


def test_points_beside_commas_are_read_where_every_number_is_clear():
    """A plate of ours in a spreadsheet with decimal commas: settings stay as they were handed out."""
    assert numbers_of("a;b\n41.72938;12,5\n2.25;-0,5\n") == [[41.72938, 12.5], [2.25, -0.5]]
    assert numbers_of("a\tb\n1.234e3\t1,5\n") == [[1234, 1.5]]


def test_settings_of_a_plate_are_compared_with_what_was_handed_out_and_not_guessed():
    columns = CampaignColumns.of(Box({"dose": (1, 9)}), ["y"])
    table = columns.matched(read_table(io.StringIO("id;dose;y\n1;3.005;12\n")))
    assert table.number(0, "dose") == 3.005
    with pytest.raises(TableError, match=r"'3\.005' is ambiguous"):
        columns.matched(read_table(io.StringIO("dose;y\n3.005;12\n")))


def test_texts_do_not_tell_what_commas_are():
    """Samples and columns that nobody reads may look like numbers; these refuse nothing that is clear."""
    columns = CampaignColumns.of(Box({"dose": (1, 9), "oil": ["1.5 mM", "none"]}), ["y"])
    text = "dose;oil;y;sample;time\n2,5;1.5 mM;3,5;12.1;14.30\n"
    table = columns.matched(read_table(io.StringIO(text)))
    assert (table.number(0, "dose"), table.number(0, "y")) == (2.5, 3.5)
    with pytest.raises(TableError, match=r"'1,234' has a comma, but '14\.30'"):
        columns.matched(read_table(io.StringIO("dose;oil;y;time\n2;1.5 mM;1,234;14.30\n")))


def test_between_commas_a_comma_is_not_guessed():
    assert "'1,5' is ambiguous; write 1.5" in str(refused('a,b\n"1,5",2\n'))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(tmp_path, encoding):
    marks = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
    data = marks.get(encoding, b"") + "µ\tb\r\n1\t2\r\n".encode(encoding)
    (tmp_path / "a.csv").write_bytes(data)
    table = read_table(tmp_path / "a.csv")
    assert (table.names, table.rows) == (("µ", "b"), [["1", "2"]])
    assert read_table(data, "a").rows == table.rows


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("sep=;\na;b\n1;x\n", 3),
        ("SEP=,\r\na,b\r\n1,x\r\n", 3),
        ("sep=\t\na\tb\n1\tx\n", 3),
        ("\n\na,b\n1,x\n", 4),
        ("Oven, May\na;b;c\n1;x;2\n", 3),
        ("Oven\n\na,b\n1,x\n", 4),
        ("Oven,,\nSeries 2,,\na,b,\n1,x,\n", 4),
        ('"Oven\nsecond line"\na,b\n1,x\n', 4),
    ],
)
def test_what_stands_above_the_header_is_left_out_and_counted(text, line):
    error = refused(text)
    assert f"input, line {line}, column 'b': 'x' is not a number" in str(error)


def test_a_single_column_has_no_title():
    assert numbers_of("a\n1\n2\n") == [[1], [2]]
    assert "line 2: 2 cells, but the header has 1" in str(refused("a\n1,2\n3,4\n"))


def test_empty_columns_behind_the_last_name_are_padding():
    assert numbers_of("a,b,,\n1,2,,\n3,4\n") == [[1, 2], [3, 4]]
    assert "line 2: column 3 has no name; give it one, or clear it" in str(refused("a,b,,\n1,2,5,\n"))


def test_all_lines_of_a_wrong_width_are_named():
    error = refused("a,b\n1,5,2\n1,2\n1\n")
    assert [p.place for p in error.problems] == ["input, line 2", "input, line 4"]


@pytest.mark.parametrize(
    "header",
    [
        "dose,pH,thickness,cost",
        "Dose,PH,THICKNESS,Cost",
        "dose (µm),pH,thickness (nm),cost",
        "dose [μm],pH,thickness [nm],cost",
        "dose / µm,pH,thickness / nm,cost (EUR)",
        "Dose(µm),pH,Thickness  ( nm ),cost",
        "dose (Âµm),pH,thickness (nm),cost",
    ],
)
def test_headings_as_people_write_them(header):
    rows = read_measurements(read_table(io.StringIO(f"{header}\n10,4,1,2\n")), BOX, COLUMNS)
    assert (rows.x.tolist(), rows.y.tolist()) == ([[10, 4]], [[1, 2]])


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("dose (nm),pH,thickness,cost", "column 'dose (nm)': the unit is 'nm', but dose is in 'µm'; convert"),
        ("dose,pH,thickness (um),cost (EUR)", "the unit is 'um', but thickness is in 'nm'"),
        ("dose,pH,thickness,cost,noise thickness (%)", "the unit is '%', but noise thickness is in 'nm'"),
        ("dose,Dose,pH,thickness,cost", "the columns 'dose' and 'Dose' are both 'dose'; remove one"),
    ],
)
def test_a_wrong_unit_or_a_column_twice_is_refused(header, said):
    cells = ",".join("1" * (header.count(",") + 1))
    with pytest.raises(TableError) as caught:
        read_measurements(read_table(io.StringIO(f"{header}\n{cells}\n")), BOX, COLUMNS)
    assert said in str(caught.value)


def test_names_that_differ_by_case_alone_are_told_apart():
    two = CampaignColumns({"a": "", "A": ""}, {"y": ""})
    table = two.matched(read_table(io.StringIO("A,a,Y\n1,2,3\n")))
    assert table.names == ("A", "a", "y")


def test_a_name_with_brackets_is_a_name():
    own = CampaignColumns({"yield (%)": ""}, {"loss": "%"})
    assert own.matched(read_table(io.StringIO("Yield (%),loss (%)\n1,2\n"))).names == ("yield (%)", "loss")
    assert (own.header("yield (%)"), own.header("loss")) == ("yield (%)", "loss (%)")


def test_units_that_look_alike():
    assert same_unit("µm", "μm")
    assert same_unit(" g / L", "g/L")
    assert not same_unit("mm", "Mm")


def test_a_remark_between_rows_is_no_decimal_comma():
    said = str(refused("a;b\n1;2\n# cloudy\n3;4\n"))
    assert "line 3: 1 cell, but the header has 2; a remark has no place between the rows" in said


def test_a_heading_above_the_names_is_named():
    assert "take a heading above the names out" in str(refused(",settings,,yields\nid,a,b,c\n1,2,3,4\n"))
