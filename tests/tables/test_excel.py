"""Excel files: what is written opens with types, units and drop-downs, and comes back as it was typed."""

from __future__ import annotations

import datetime
import io
import sys

import openpyxl
import pytest

from equiwarp import Box
from equiwarp.exceptions import InvalidInput, MissingPart, TableError
from equiwarp.tables.beside import texts_of_row, unread
from equiwarp.tables.columns import CampaignColumns
from equiwarp.tables.files import file_of, is_excel, require_writer
from equiwarp.tables.plates import plate_sheet, read_plate
from equiwarp.tables.sheets import Sheet
from equiwarp.tables.table import read_numbers, read_table

BOX = Box({"time": {"low": 1, "high": 10, "unit": "min"}, "grade": {"levels": [1, 2, 5]}})
COLUMNS = CampaignColumns.of(BOX, ["yield", "cost"], {"yield": "%"})
HANDED = {1: {"time": 2.5, "grade": 5.0}, 2: {"time": 7.25, "grade": 1.0}}


def opened(data):
    return openpyxl.load_workbook(io.BytesIO(data))


def saved(book):
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def plate():
    return file_of("plate.xlsx", [plate_sheet(BOX, COLUMNS, HANDED)])


def workbook(*rows, title="any"):
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    return book


def refused(book):
    with pytest.raises(TableError) as caught:
        read_table(saved(book), "plate.xlsx")
    return caught.value


def test_a_plate_has_units_types_and_drop_downs():
    book = opened(plate())
    page = book["plate"]
    assert [c.value for c in page[1]] == ["id", "time (min)", "grade", "yield (%)", "cost", "failed"]
    assert [c.value for c in page[3]] == [2, 7.25, 1, None, None, None]
    assert [c.data_type for c in page[3]][:3] == ["n", "n", "n"]
    rules = {str(rule.sqref): rule for rule in page.data_validations.dataValidation}
    assert set(rules) == {"C2:C3", "D2:D3", "E2:E3"}
    assert rules["C2:C3"].type == "list"
    assert rules["D2:D3"].type == "decimal"
    assert rules["D2:D3"].errorStyle == "warning"
    sheet, _, cells = rules["C2:C3"].formula1.partition("!")
    offered = book[sheet.strip("'")]
    assert offered.sheet_state == "hidden"
    assert [c.value for (c,) in offered[cells.replace("$", "")]] == [1, 2, 5]


def test_a_filled_plate_comes_back():
    book = opened(plate())
    page = book["plate"]
    page["D2"], page["E2"] = 81.5, 3
    page["F3"] = True
    filled = read_plate(read_table(saved(book), "plate.xlsx"), BOX, COLUMNS, HANDED)
    assert filled.told == [(1, {"yield": 81.5, "cost": 3.0}, None)]
    assert filled.failed == [(2, "")]


def test_mistakes_are_named_by_the_addresses_of_their_cells():
    book = opened(plate())
    page = book["plate"]
    page["D2"], page["E2"], page["E3"] = "high", 3, 1e200
    page["D3"] = 1
    with pytest.raises(TableError) as caught:
        read_plate(read_table(saved(book), "plate.xlsx"), BOX, COLUMNS, HANDED)
    assert [p.place for p in caught.value.problems] == [
        "plate.xlsx, cell D2, column 'yield'",
        "plate.xlsx, cell E3, column 'cost'",
    ]


def unsound():
    """A percentage, a date and a formula without a result."""
    book = workbook(["a", "b", "c"], [1, 0.05, datetime.datetime(2026, 5, 1)], [2, "=A2*2", 3])
    book.active["B2"].number_format = "0.00%"
    return read_table(saved(book), "table.xlsx")


def test_what_a_cell_shows_and_what_it_holds_must_agree():
    with pytest.raises(TableError) as caught:
        unsound().require_sound(["b", "c"])
    error = caught.value
    assert [p.code for p in error.problems] == ["percent", "date", "formula"]
    assert "cell B2: the cell shows 5 % and holds 0.05; format the cell as a number" in str(error)
    assert "cell C2: 2026-05-01 00:00:00 is a date" in str(error)
    assert "cell B3: the formula =A2*2 has no result yet" in str(error)


def test_a_list_of_candidates_has_no_dates(tmp_path):
    file = tmp_path / "list.xlsx"
    file.write_bytes(saved(workbook(["a"], [datetime.datetime(2026, 5, 1)])))
    with pytest.raises(TableError, match="is a date"):
        read_numbers(file)


def test_dates_and_percentages_in_columns_that_nobody_reads_refuse_nothing():
    unsound().require_sound(["a"])
    columns = CampaignColumns({"a": ""}, {"y": ""}, ("c",))
    assert columns.matched(unsound().renamed({1: "remark"})).column("remark")[0] == "5 %"
    with pytest.raises(TableError, match="no result yet"):
        unsound().require_sound(["b", "c"], texts=["b", "c"])


def test_a_date_is_a_text_in_the_column_of_a_block():
    book = workbook(["a", "y", "day"], [1, 2, datetime.datetime(2026, 5, 1)])
    columns = CampaignColumns({"a": ""}, {"y": ""}, ("day",))
    assert texts_of_row(columns.matched(read_table(saved(book))), 0, columns) == {"day": "2026-05-01"}


def test_sheets_with_the_same_columns_that_were_not_read_are_named():
    book = opened(plate())
    book.copy_worksheet(book["plate"]).title = "Monday"
    book.create_sheet("remarks").append(["cloudy"])
    read = read_table(saved(book), "plate.xlsx")
    assert read.alike == ("Monday",)
    (said,) = unread(read, COLUMNS)
    assert said.startswith("the sheet 'Monday' was not read")
    assert unread(read_table(plate(), "plate.xlsx"), COLUMNS) == ()


def test_the_result_of_a_formula_is_a_value():
    data = saved(workbook(["a"], [2], ["=A2*2"]))
    # What a spreadsheet adds when it saves: the result beside the formula.
    import zipfile

    source, target = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(target, "w") as out:
        for item in source.infolist():
            text = source.read(item.filename)
            if item.filename == "xl/worksheets/sheet1.xml":
                assert b"<v />" in text or b"<v></v>" in text or b"<v/>" in text, text
                for empty in (b"<v />", b"<v></v>", b"<v/>"):
                    text = text.replace(empty, b"<v>4</v>")
            out.writestr(item, text)
    assert read_table(target.getvalue(), "a.xlsx").column("a") == ["2", "4"]


def test_the_sheet_called_plate_comes_first_then_the_first_that_holds_anything():
    book = workbook(["x"], [1], title="notes")
    page = book.create_sheet("Plate")
    page.append(["id"])
    page.append([3])
    assert read_table(saved(book)).names == ("id",)
    book = workbook(title="empty")
    book.create_sheet("second").append(["b"])
    hidden = book.create_sheet("plate")
    hidden.append(["z"])
    hidden.sheet_state = "hidden"
    assert read_table(saved(book)).names == ("b",)
    assert "no sheet holds anything" in str(refused(workbook()))


def test_a_title_and_blank_rows_are_counted():
    table = read_table(saved(workbook(["My plate"], [], ["id", "a"], [], [1, 2.5])), "p.xlsx")
    assert (table.names, table.rows, table.lines) == (("id", "a"), [["1", "2.5"]], [5])
    assert table.where(0, "a") == "p.xlsx, cell B5, column 'a'"


def test_texts_are_never_run():
    texts = ["=1+2", "+1", "-1+A1", "@SUM(1)", "plain", "bell\x07"]
    data = file_of("a.xlsx", [Sheet("a", ["text"], [[text] for text in texts])])
    cells = [row[0] for row in opened(data)["a"].iter_rows(min_row=2)]
    assert [c.value for c in cells] == [*texts[:5], "bell "]
    assert {c.data_type for c in cells} == {"s"}
    assert [bool(c.quotePrefix) for c in cells] == [True, True, True, True, False, False]


def test_numbers_come_back_to_sixteen_digits_and_nested_data_as_json(rng):
    values = (rng.standard_normal(20) * 10.0 ** rng.integers(-30, 30, 20)).tolist()
    data = file_of("a.xlsx", [Sheet("a", ["x", "d"], [[v, {"ü": [1.5]}] for v in values])])
    table = read_table(data)
    assert [float(text) for text in table.column("x")] == pytest.approx(values, rel=5e-16)
    assert table.column("d")[0] == '{"ü": [1.5]}'


def test_other_formats_are_refused_with_what_to_do():
    for name in ("a.xls", "a.ods", "A.XLS"):
        with pytest.raises(InvalidInput, match=r"choose a name that ends with .xlsx or .csv"):
            is_excel(name)
    assert is_excel("a.XLSX")
    assert not is_excel("a.csv")
    for data, said in (
        (b"\xd0\xcf\x11\xe0" + bytes(100), "old format; save it as .xlsx or CSV"),
        (b"PK\x03\x04" + b"....mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "OpenDocument file"),
        (b"PK\x03\x04" + bytes(100), "cannot be read as an Excel file"),
    ):
        with pytest.raises(TableError, match=said):
            read_table(data, "a.xlsx")


def test_a_file_that_unpacks_to_far_too_much_is_not_unpacked(monkeypatch):
    monkeypatch.setattr("equiwarp.tables.excel.MOST_UNPACKED", 1000)
    assert "it unpacks to" in str(refused(workbook(["a"], [1])))


def test_without_the_package_it_is_said_what_to_install(monkeypatch):
    data = plate()
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    for attempt in (lambda: read_table(data), lambda: require_writer("a.xlsx"), plate):
        with pytest.raises(MissingPart, match=r"pip install 'equiwarp\[excel\]'"):
            attempt()
    require_writer("a.csv")
