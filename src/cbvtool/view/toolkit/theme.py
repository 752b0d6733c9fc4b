"""How the window looks in each theme: one palette and one style sheet, derived from ground, ink and accent."""

from __future__ import annotations

from dataclasses import dataclass

from qtpy.QtGui import QColor, QPalette
from qtpy.QtWidgets import QApplication

from cbvtool.geometry import colors


@dataclass(frozen=True)
class Look:
    """Colours of the window as `#rrggbb`.

    ground   behind the picture; panel: behind text; raised: buttons and fields; box: in check boxes
    ink      text; muted: secondary text; line: borders
    hover    behind what the pointer is on; chosen: behind what is selected
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


def look(theme: str) -> Look:
    """The colours of the theme `light` or `dark`."""
    base = colors.THEMES[theme]
    ground, ink, accent = _rgb(base.ground), _rgb(base.text), _rgb(base.accent)
    dark = theme == "dark"
    white = (255, 255, 255)
    return Look(
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


def apply(theme: str, application: QApplication) -> Look:
    """Give the whole application the look of `theme`, unless it has it: every widget is measured anew for one."""
    chosen = look(theme)
    style = _style(chosen)
    if application.styleSheet() != style:
        application.setPalette(_palette(chosen))
        application.setStyleSheet(style)
    return chosen


def rich_text(look: Look) -> str:
    """The style sheet of the texts in panels."""
    return (
        f"a {{ color: {look.accent}; text-decoration: none; }} a.task {{ color: {look.ink}; font-weight: 600; }} "
        f"a.place {{ color: {look.muted}; text-decoration: underline; }} "
        f".muted {{ color: {look.muted}; }} .note {{ color: {look.warning}; }} "
        f".better {{ color: {look.better}; }} .worse {{ color: {look.worse}; }} "
        "h3 { font-size: 15px; margin: 0 0 2px 0; } h4 { font-size: 12px; margin: 14px 0 4px 0; }"
    )


def _palette(look: Look) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for name, color in (
        (role.Window, look.panel),
        (role.WindowText, look.ink),
        (role.Base, look.box),
        (role.AlternateBase, look.ground),
        (role.Text, look.ink),
        (role.Button, look.raised),
        (role.ButtonText, look.ink),
        (role.BrightText, look.ink),
        (role.Highlight, look.chosen),
        (role.HighlightedText, look.ink),
        (role.ToolTipBase, look.raised),
        (role.ToolTipText, look.ink),
        (role.Link, look.accent),
        (role.PlaceholderText, look.faint),
        (role.Mid, look.line),
        (role.Dark, look.line),
        (role.Light, look.raised),
        (role.Midlight, look.hover),
        (role.Shadow, look.line),
    ):
        palette.setColor(name, QColor(color))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(look.faint))
    return palette


def _style(look: Look) -> str:
    return f"""
* {{ outline: none; }}
QMainWindow, QMainWindow > QWidget {{ background: {look.panel}; }}
QMainWindow::separator {{ background: {look.line}; width: 1px; height: 1px; }}
QMainWindow::separator:hover {{ background: {look.accent}; }}
QWidget#start, QWidget#canvas {{ background: {look.ground}; }}
QMessageBox QLabel#qt_msgboxex_icon_label {{ max-width: 0; max-height: 0; }}
QDialog {{ background: {look.panel}; border: 1px solid {look.line}; }}
QLabel#title {{ font-size: 26px; font-weight: 600; }}
QLabel#heading {{ font-size: 13px; font-weight: 600; }}
QLabel#muted {{ color: {look.muted}; }}

QMenuBar {{ background: {look.panel}; padding: 2px 4px; }}
QMenuBar::item {{ padding: 4px 9px; border-radius: 4px; background: transparent; }}
QMenuBar::item:selected {{ background: {look.hover}; }}
QMenu {{ background: {look.raised}; border: 1px solid {look.line}; padding: 5px; }}
QMenu::item {{ padding: 5px 28px 5px 22px; border-radius: 4px; }}
QMenu::item:selected {{ background: {look.chosen}; }}
QMenu::item:disabled {{ color: {look.faint}; }}
QMenu::separator {{ height: 1px; background: {look.line}; margin: 5px 8px; }}
QMenu::indicator {{ width: 14px; height: 14px; left: 5px; }}

QToolBar {{ background: {look.panel}; border: none; border-bottom: 1px solid {look.line};
    padding: 4px 8px; spacing: 4px; }}
QToolButton {{ border: none; border-radius: 5px; padding: 5px; background: transparent; }}
QToolButton:hover {{ background: {look.hover}; }}
QToolButton:pressed, QToolButton:checked {{ background: {look.chosen}; }}
QToolButton:focus {{ border: 1px solid {look.accent}; padding: 4px; }}
QToolButton#crumb {{ padding: 4px 6px; color: {look.muted}; }}
QToolButton#crumb:hover {{ color: {look.ink}; }}
QToolButton#here {{ padding: 4px 6px; font-weight: 600; }}
QToolButton#chip {{ background: {look.chosen}; color: {look.ink}; border-radius: 11px; padding: 3px 10px; }}
QToolButton#chip:hover {{ background: {look.hover}; }}
QToolButton#chevron {{ padding: 3px 5px; color: {look.muted}; font-size: 15px; }}
QToolButton#chevron:hover {{ color: {look.ink}; }}
QToolButton::menu-indicator {{ image: none; }}

QLineEdit, QComboBox, QSpinBox#number {{ background: {look.raised}; border: 1px solid {look.line}; border-radius: 5px;
    padding: 4px 8px; selection-background-color: {look.accent}; selection-color: white; min-height: 18px; }}
QLineEdit:focus, QComboBox:focus, QSpinBox#number:focus {{ border-color: {look.accent}; }}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled {{ color: {look.faint}; }}
QSpinBox#number::up-button, QSpinBox#number::down-button {{ border: none; background: transparent; width: 22px; }}
QSpinBox#number::up-arrow, QSpinBox#number::down-arrow {{ image: none; }}
QPushButton::menu-indicator {{ subcontrol-origin: padding; subcontrol-position: right center; right: 5px; }}
QPushButton#menu {{ padding: 2px 22px 2px 9px; }}
QComboBox#drop::drop-down {{ border: none; width: 22px; }}
QInputDialog QLineEdit {{ min-width: 300px; }}
QComboBox QAbstractItemView {{ background: {look.raised}; border: 1px solid {look.line};
    selection-background-color: {look.chosen}; }}

QPushButton {{ background: {look.raised}; border: 1px solid {look.line}; border-radius: 5px; padding: 6px 14px; }}
QPushButton:hover {{ background: {look.hover}; }}
QPushButton:pressed {{ background: {look.chosen}; }}
QPushButton:disabled {{ color: {look.faint}; }}
QPushButton:focus {{ border-color: {look.accent}; }}
QPushButton#primary, QDialog QPushButton:default {{ background: {look.accent}; border-color: {look.accent};
    color: white; }}
QPushButton#primary:focus, QDialog QPushButton:default:focus {{ border-color: {look.ink}; }}
QDialog QPushButton:default:disabled {{ background: {look.raised}; border-color: {look.line}; color: {look.faint}; }}
QPushButton#link {{ border: none; background: transparent; text-align: left; padding: 5px 8px; }}
QPushButton#link:hover, QPushButton#link:focus {{ background: {look.hover}; }}
QPushButton#small {{ padding: 2px 9px; }}

QWidget#dock_title {{ background: {look.panel}; }}
QTabBar {{ background: {look.panel}; qproperty-drawBase: 0; }}
QTabBar::tab {{ background: transparent; color: {look.muted}; padding: 6px 6px; margin: 0 1px; border: none;
    border-bottom: 2px solid transparent; }}
QTabBar::tab:hover {{ color: {look.ink}; }}
QTabBar::tab:selected {{ color: {look.ink}; border-bottom: 2px solid {look.accent}; }}

QTreeView, QListView, QTableView, QTextBrowser, QListWidget, QTreeWidget {{ background: {look.panel}; border: none;
    alternate-background-color: {look.ground}; }}
QTextBrowser {{ padding: 8px; }}
QListWidget#steps {{ padding: 0 8px; }}
QListWidget#steps::item {{ padding: 4px 4px; border-radius: 4px; }}
QTreeView::item, QListView::item {{ padding: 2px 2px; border: none; }}
QTreeView::item:hover, QListView::item:hover, QTableView::item:hover {{ background: {look.hover}; }}
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {{ background: {look.chosen};
    color: {look.ink}; }}
QHeaderView::section {{ background: {look.panel}; color: {look.muted}; border: none;
    border-bottom: 1px solid {look.line}; padding: 5px 8px; }}
QTableView::item {{ padding: 2px 8px; border: none; }}

QScrollBar:vertical {{ background: transparent; width: 11px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 11px; margin: 0; }}
QScrollBar::handle {{ background: {look.line}; border-radius: 4px; margin: 2px; min-height: 28px; min-width: 28px; }}
QScrollBar::handle:hover {{ background: {look.faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}

QStatusBar {{ background: {look.panel}; border-top: 1px solid {look.line}; }}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ color: {look.muted}; padding: 2px 6px; }}
QStatusBar QPushButton#link {{ color: {look.muted}; padding: 2px 6px; }}
QStatusBar QPushButton#link:hover, QStatusBar QPushButton#link:focus {{ color: {look.ink}; }}
QProgressBar {{ background: {look.hover}; border: none; border-radius: 3px; max-height: 6px; min-width: 140px; }}
QProgressBar::chunk {{ background: {look.accent}; border-radius: 3px; }}
QSlider::groove:horizontal {{ height: 4px; background: {look.line}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {look.accent}; border-radius: 2px; }}
QSlider::handle:horizontal {{ background: {look.raised}; border: 2px solid {look.accent}; width: 12px;
    margin: -6px 0; border-radius: 8px; }}
QToolTip {{ background: {look.raised}; color: {look.ink}; border: 1px solid {look.line}; padding: 5px; }}
QFrame#message {{ background: {look.hover}; border-bottom: 1px solid {look.line}; }}
QFrame#message[error="true"] {{ background: {look.error}; }}
QToolButton#ghostcrumb {{ border: 1px dashed {look.accent}; border-radius: 4px; color: {look.muted};
    padding: 2px 6px; margin-left: 6px; }}
QFrame#planmessage {{ background: {look.raised}; border: 1px solid {look.line}; border-radius: 8px; }}
QFrame#planmessage QPushButton#link {{ color: {look.accent}; font-weight: 600; }}
QFrame#card {{ background: {look.raised}; border: 1px solid {look.line}; border-radius: 6px; }}
QFrame#card QLabel {{ color: {look.ink}; }}
QFrame#card QLabel#muted {{ color: {look.muted}; }}
QFrame#card QLabel#refusal {{ color: {look.warning}; }}
QToolButton[aimed="yes"] {{ background: {look.chosen}; border: 1px solid {look.accent}; color: {look.ink}; }}
QToolButton[aimed="refused"] {{ border: 1px dashed {look.warning}; color: {look.warning}; }}
"""


def _rgb(color: tuple[int, ...]) -> tuple[int, int, int]:
    return int(color[0]), int(color[1]), int(color[2])


def _mix(a: tuple[int, int, int], b: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    return tuple(round(x + (y - x) * share) for x, y in zip(a, b, strict=True))  # type: ignore[return-value]  # three


def _hex(color: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)
