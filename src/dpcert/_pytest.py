"""The pytest plugin: the fixture `dpcert`, a report and a baseline of all audits of a run.

Read at the start of every pytest run where dpcert is installed, so it reads nothing else until a test asks for it.
"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from dpcert.audit.exchange.asserting import Auditor
    from dpcert.audit.exchange.audited_run import AuditedRun

_SESSION = pytest.StashKey["AuditedRun"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--dpcert-report`, `--dpcert-baseline`, `--dpcert-update-baseline`."""
    group = parser.getgroup("dpcert", "exact privacy audits")
    group.addoption("--dpcert-report", metavar="DIR", help="write an index page, a page an audit, and their record")
    group.addoption("--dpcert-baseline", metavar="FILE", help="fail where an audit is worse than this baseline")
    group.addoption("--dpcert-update-baseline", action="store_true", help="write what is new or better there")


def pytest_configure(config: pytest.Config) -> None:
    """Reads the baseline where one is named, so that a wrong one is said before any test."""
    if _asked(config) or config.getoption("dpcert_baseline") is not None:
        from dpcert.audit.errors import DpcertError

        try:
            _session(config)
        except DpcertError as error:
            raise pytest.UsageError(str(error)) from None


@pytest.fixture
def dpcert(request: pytest.FixtureRequest) -> "Auditor":
    """Audits of mechanisms: `dpcert.audit(Mechanism(), horizon=3).require_certified()`."""
    return _session(request.config).auditor(request.node.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In a worker, what was found goes to the process that began it; there it is written."""
    audited_run = session.config.stash.get(_SESSION, None)
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        if audited_run is not None:
            output["dpcert"] = audited_run.pack()
        return
    if audited_run is None:
        return
    try:
        audited_run.write()
    except OSError as error:  # the tests have run, and what they found stands
        audited_run.said.append(f"Expected a place for the report and the baseline but got {error}")
        session.exitstatus = pytest.ExitCode.USAGE_ERROR


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a worker found."""
    packed = getattr(node, "workeroutput", {}).get("dpcert")
    if packed is not None:
        _session(node.config).add(packed)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Where the report is, and what changed against the baseline."""
    audited_run = config.stash.get(_SESSION, None)
    lines = [] if audited_run is None else audited_run.summary()
    if lines:
        terminalreporter.section("dpcert")
        for line in lines:
            terminalreporter.write_line(line)


def _asked(config: pytest.Config) -> bool:
    return config.getoption("dpcert_report") is not None or config.getoption("dpcert_update_baseline")


def _session(config: pytest.Config) -> "AuditedRun":
    from dpcert.audit.exchange.audited_run import AuditedRun

    if _SESSION not in config.stash:
        report, baseline = config.getoption("dpcert_report"), config.getoption("dpcert_baseline")
        update = config.getoption("dpcert_update_baseline")
        config.stash[_SESSION] = AuditedRun.begun(report, baseline, update, _folder(config))
    return config.stash[_SESSION]


def _folder(config: pytest.Config) -> "Path | None":
    """Where audits are kept for the next run: in pytest's own cache, where that is used and can be written."""
    cache = getattr(config, "cache", None)
    try:
        return None if cache is None else cache.mkdir("dpcert")
    except OSError:
        return None
