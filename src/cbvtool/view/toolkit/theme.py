"""The look of the window in each theme: one palette and one style sheet, derived from ground, ink and accent."""

from __future__ import annotations

from dataclasses import dataclass

from qtpy.QtGui import QColor, QPalette
from qtpy.QtWidgets import QApplication

from cbvtool.geometry import colors


@dataclass(frozen=True)
class WidgetColors:
    """Colours of the window as `#rrggbb`.

    ground   background of the picture; panel: of text; raised: of buttons and fields; box: of check boxes
    ink      text; muted: secondary text; line: borders
    hover    background under the pointer; chosen: of selected things
    """

    ground: str
    panel: str
    raised: str
    box: str
    ink: str
    muted: str
    faint: str
    line: str
    hover: str
    chosen: str
    accent: str
    warning: str
    better: str
    worse: str
    error: str


def look(theme: str) -> WidgetColors:
    """The colours of the theme `light` or `dark`."""
    base = colors.THEMES[theme]
    ground, ink, accent = _rgb(base.ground), _rgb(base.text), _rgb(base.accent)
    dark = theme == "dark"
    white = (255, 255, 255)
    return WidgetColors(
        ground=_hex(ground),
        panel=_hex(_mix(ground, white, 0.03 if dark else 0.6)),
        raised=_hex(_mix(ground, white, 0.08 if dark else 1.0)),
        box=_hex(_mix(ground, ink, 0.2) if dark else white),
        ink=_hex(ink),
        muted=_hex(_mix(ink, ground, 0.36)),
        faint=_hex(_mix(ink, ground, 0.58)),
        line=_hex(_mix(ground, ink, 0.16)),
        hover=_hex(_mix(ground, ink, 0.07)),
        chosen=_hex(_mix(ground, accent, 0.22 if not dark else 0.38)),
        accent=_hex(accent),
        warning=_hex(_rgb(base.warning)),
        better=_hex(_rgb(base.better)),
        worse=_hex(_rgb(base.worse)),
        error=_hex(_mix(ground, (214, 40, 40), 0.16 if not dark else 0.34)),
    )


def apply(theme: str, application: QApplication) -> WidgetColors:
    """Set the look of the whole application, unless it has it already, because Qt then lays out every widget again."""
    chosen = look(theme)
    style = _style(chosen)
    if application.styleSheet() != style:
        application.setPalette(_palette(chosen))
        application.setStyleSheet(style)
    return chosen


def rich_text(colors: WidgetColors) -> str:
    """The style sheet of rich text in panels."""
    return (
        f"a {{ color: {colors.accent}; text-decoration: none; }} a.task {{ color: {colors.ink}; font-weight: 600; }} "
        f"a.place {{ color: {colors.muted}; text-decoration: underline; }} "
        f".muted {{ color: {colors.muted}; }} .note {{ color: {colors.warning}; }} "
        f".better {{ color: {colors.better}; }} .worse {{ color: {colors.worse}; }} "
        "h3 { font-size: 15px; margin: 0 0 2px 0; } h4 { font-size: 12px; margin: 14px 0 4px 0; }"
    )


def _palette(colors: WidgetColors) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for name, color in (
        (role.Window, colors.panel),
        (role.WindowText, colors.ink),
        (role.Base, colors.box),
        (role.AlternateBase, colors.ground),
        (role.Text, colors.ink),
        (role.Button, colors.raised),
        (role.ButtonText, colors.ink),
        (role.BrightText, colors.ink),
        (role.Highlight, colors.chosen),
        (role.HighlightedText, colors.ink),
        (role.ToolTipBase, colors.raised),
        (role.ToolTipText, colors.ink),
        (role.Link, colors.accent),
        (role.PlaceholderText, colors.faint),
        (role.Mid, colors.line),
        (role.Dark, colors.line),
        (role.Light, colors.raised),
        (role.Midlight, colors.hover),
        (role.Shadow, colors.line),
    ):
        palette.setColor(name, QColor(color))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(colors.faint))
    return palette


def _style(colors: WidgetColors) -> str:
    return f"""
* {{ outline: none; }}
QMainWindow, QMainWindow > QWidget {{ background: {colors.panel}; }}
QWidget#qt_qmainwindow_extended_splitter {{ background: transparent; }}
QMainWindow::separator {{ background: {colors.line}; width: 1px; height: 1px; }}
QMainWindow::separator:hover {{ background: {colors.accent}; }}
QWidget#start, QWidget#canvas {{ background: {colors.ground}; }}
QMessageBox QLabel#qt_msgboxex_icon_label {{ max-width: 0; max-height: 0; }}
QDialog {{ background: {colors.panel}; border: 1px solid {colors.line}; }}
QLabel#title {{ font-size: 26px; font-weight: 600; }}
QLabel#heading {{ font-size: 13px; font-weight: 600; }}
QLabel#muted {{ color: {colors.muted}; }}

QMenuBar {{ background: {colors.panel}; padding: 2px 4px; }}
QMenuBar::item {{ padding: 4px 9px; border-radius: 4px; background: transparent; }}
QMenuBar::item:selected {{ background: {colors.hover}; }}
QMenu {{ background: {colors.raised}; border: 1px solid {colors.line}; padding: 5px; }}
QMenu::item {{ padding: 5px 28px 5px 22px; border-radius: 4px; }}
QMenu::item:selected {{ background: {colors.chosen}; }}
QMenu::item:disabled {{ color: {colors.faint}; }}
QMenu::separator {{ height: 1px; background: {colors.line}; margin: 5px 8px; }}
QMenu::indicator {{ width: 14px; height: 14px; left: 5px; }}

QToolBar {{ background: {colors.panel}; border: none; border-bottom: 1px solid {colors.line};
    padding: 4px 8px; spacing: 4px; }}
QToolButton {{ border: none; border-radius: 5px; padding: 5px; background: transparent; }}
QToolButton:hover {{ background: {colors.hover}; }}
QToolButton:pressed, QToolButton:checked {{ background: {colors.chosen}; }}
QToolButton:focus {{ border: 1px solid {colors.accent}; padding: 4px; }}
QToolButton#crumb {{ padding: 4px 6px; color: {colors.muted}; }}
QToolButton#crumb:hover {{ color: {colors.ink}; }}
QToolButton#here {{ padding: 4px 6px; font-weight: 600; }}
QToolButton#chip {{ background: {colors.chosen}; color: {colors.ink}; border-radius: 11px; padding: 3px 10px; }}
QToolButton#chip:hover {{ background: {colors.hover}; }}
QToolButton#chevron {{ padding: 3px 5px; color: {colors.muted}; font-size: 15px; }}
QToolButton#chevron:hover {{ color: {colors.ink}; }}
QToolButton::menu-indicator {{ image: none; }}

QLineEdit, QComboBox, QSpinBox#number {{ background: {colors.raised}; border: 1px solid {colors.line};
    border-radius: 5px;
    padding: 4px 8px; selection-background-color: {colors.accent}; selection-color: white; min-height: 18px; }}
QLineEdit:focus, QComboBox:focus, QSpinBox#number:focus {{ border-color: {colors.accent}; }}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled {{ color: {colors.faint}; }}
QSpinBox#number::up-button, QSpinBox#number::down-button {{ border: none; background: transparent; width: 22px; }}
QSpinBox#number::up-arrow, QSpinBox#number::down-arrow {{ image: none; }}
QPushButton::menu-indicator {{ subcontrol-origin: padding; subcontrol-position: right center; right: 5px; }}
QPushButton#menu {{ padding: 2px 22px 2px 9px; }}
QComboBox#drop::drop-down {{ border: none; width: 22px; }}
QInputDialog QLineEdit {{ min-width: 300px; }}
QComboBox QAbstractItemView {{ background: {colors.raised}; border: 1px solid {colors.line};
    selection-background-color: {colors.chosen}; }}

QPushButton {{ background: {colors.raised}; border: 1px solid {colors.line}; border-radius: 5px; padding: 6px 14px; }}
QPushButton:hover {{ background: {colors.hover}; }}
QPushButton:pressed, QPushButton:checked {{ background: {colors.chosen}; }}
QPushButton:checked {{ border-color: {colors.accent}; }}
QPushButton:disabled {{ color: {colors.faint}; }}
QPushButton:focus {{ border-color: {colors.accent}; }}
QPushButton#primary, QDialog QPushButton:default {{ background: {colors.accent}; border-color: {colors.accent};
    color: white; }}
QPushButton#primary:focus, QDialog QPushButton:default:focus {{ border-color: {colors.ink}; }}
QDialog QPushButton:default:disabled {{ background: {colors.raised}; border-color: {colors.line};
    color: {colors.faint}; }}
QPushButton#link {{ border: none; background: transparent; text-align: left; padding: 5px 8px; }}
QPushButton#link:hover, QPushButton#link:focus {{ background: {colors.hover}; }}
QPushButton#small {{ padding: 2px 9px; }}

QWidget#dock_title {{ background: {colors.panel}; }}
QTabBar {{ background: {colors.panel}; qproperty-drawBase: 0; }}
QTabBar::tab {{ background: transparent; color: {colors.muted}; padding: 6px 4px; margin: 0 1px; border: none;
    border-bottom: 2px solid transparent; }}
QTabBar::tab:hover {{ color: {colors.ink}; }}
QTabBar::tab:selected {{ color: {colors.ink}; border-bottom: 2px solid {colors.accent}; }}
QTabBar::scroller {{ width: 44px; }}
QTabBar QToolButton {{ background: {colors.raised}; border: 1px solid {colors.line}; border-radius: 3px; padding: 0; }}
QTabBar QToolButton:hover {{ background: {colors.hover}; }}

QTreeView, QListView, QTableView, QTextBrowser, QListWidget, QTreeWidget {{ background: {colors.panel}; border: none;
    alternate-background-color: {colors.ground}; }}
QTextBrowser {{ padding: 8px; }}
QListWidget#steps {{ padding: 0 8px; }}
QListWidget#steps::item {{ padding: 4px 4px; border-radius: 4px; }}
QTreeView::item, QListView::item {{ padding: 2px 2px; border: none; }}
QTreeView::item:hover, QListView::item:hover, QTableView::item:hover {{ background: {colors.hover}; }}
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {{ background: {colors.chosen};
    color: {colors.ink}; }}
QTreeView::indicator:unchecked {{ border: 1px solid {colors.faint}; border-radius: 2px; background: {colors.box}; }}
QHeaderView::section {{ background: {colors.panel}; color: {colors.muted}; border: none;
    border-bottom: 1px solid {colors.line}; padding: 5px 8px; }}
QTableView::item {{ padding: 2px 8px; border: none; }}

QScrollBar:vertical {{ background: transparent; width: 11px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 11px; margin: 0; }}
QScrollBar::handle {{ background: {colors.line}; border-radius: 4px; margin: 2px; min-height: 28px; min-width: 28px; }}
QScrollBar::handle:hover {{ background: {colors.faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}

QStatusBar {{ background: {colors.panel}; border-top: 1px solid {colors.line}; }}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ color: {colors.muted}; padding: 2px 6px; }}
QStatusBar QPushButton#link {{ color: {colors.muted}; padding: 2px 6px; }}
QStatusBar QPushButton#link:hover, QStatusBar QPushButton#link:focus {{ color: {colors.ink}; }}
QProgressBar {{ background: {colors.hover}; border: none; border-radius: 3px; max-height: 6px; min-width: 140px; }}
QProgressBar::chunk {{ background: {colors.accent}; border-radius: 3px; }}
QSlider::groove:horizontal {{ height: 4px; background: {colors.line}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {colors.accent}; border-radius: 2px; }}
QSlider::handle:horizontal {{ background: {colors.raised}; border: 2px solid {colors.accent}; width: 12px;
    margin: -6px 0; border-radius: 8px; }}
QToolTip {{ background: {colors.raised}; color: {colors.ink}; border: 1px solid {colors.line}; padding: 5px; }}
QFrame#message {{ background: {colors.hover}; border-bottom: 1px solid {colors.line}; }}
QFrame#message[error="true"] {{ background: {colors.error}; }}
QToolButton#ghostcrumb {{ border: 1px dashed {colors.accent}; border-radius: 4px; color: {colors.muted};
    padding: 2px 6px; margin-left: 6px; }}
QFrame#planmessage {{ background: {colors.raised}; border: 1px solid {colors.line}; border-radius: 8px; }}
QFrame#planmessage QPushButton#link {{ color: {colors.accent}; font-weight: 600; }}
QFrame#card {{ background: {colors.raised}; border: 1px solid {colors.line}; border-radius: 6px; }}
QFrame#card QLabel {{ color: {colors.ink}; }}
QFrame#card QLabel#muted {{ color: {colors.muted}; }}
QFrame#card QLabel#refusal, QDialog QLabel#refusal {{ color: {colors.warning}; }}
QToolButton[aimed="yes"] {{ background: {colors.chosen}; border: 1px solid {colors.accent}; color: {colors.ink}; }}
QToolButton[aimed="refused"] {{ border: 1px dashed {colors.warning}; color: {colors.warning}; }}
"""


def _rgb(color: tuple[int, ...]) -> tuple[int, int, int]:
    return int(color[0]), int(color[1]), int(color[2])


def _mix(a: tuple[int, int, int], b: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    return tuple(round(x + (y - x) * share) for x, y in zip(a, b, strict=True))  # type: ignore[return-value]  # three


def _hex(color: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)
