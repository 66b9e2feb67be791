"""Which files a named target asks for."""

from hysteresis.config.configuration import Configuration
from hysteresis.plan import paths
from hysteresis.plan.figures import figures_of
from hysteresis.plan.tables import PAPER_TABLES, control_tables


def paper_figure_files(configuration: Configuration) -> list[str]:
    """Every figure of the paper, and the published seeds beside the reproduced ones."""
    figures = (*figures_of(configuration, "paper"), "published")
    return [path for figure in figures for path in paths.figure_files(figure)]


def paper_table_files() -> list[str]:
    """Every table of the paper, the published numbers beside the reproduced, and what it cost."""
    tables = [path for table in PAPER_TABLES for path in paths.table_files(table)]
    return [*tables, paths.PUBLISHED_TABLE, paths.PUBLISHED_PAGE, paths.COST]


def control_files(configuration: Configuration) -> list[str]:
    """Every table and figure of the controls, with those of the sections that are configured."""
    belonging = ("controls", "measures")
    figures = [name for belongs in belonging for name in figures_of(configuration, belongs)]
    return [
        *(path for table in control_tables(configuration) for path in paths.table_files(table)),
        *(path for figure in figures for path in paths.figure_files(figure)),
    ]
