"""A report that another step of this run finished, as `profgate confirm` does: judged and told as if compared here."""

import posixpath

from profgate.action.job import Job
from profgate.action.merging import merge
from profgate.adapters.files import exists, read_text
from profgate.errors import ProfgateError, SettingsError
from profgate.judge.legs import Leg
from profgate.model.links import Links
from profgate.model.report import Report
from profgate.report.json_report import from_json
from profgate.report.links_json import LINKS_NAME, links_from_json

LARGEST_REPORT = 256 << 20
LARGEST_LINKS = 4 << 20


def tell_finished(job: Job) -> int:
    """Tells the report under the policy of the base commit; gives the exit code."""
    name = job.settings.report
    if not name:
        raise SettingsError("report", "is empty; mode tell needs the path of a report.json of this run")
    place = posixpath.join(job.context.workspace, name)
    if not exists(place):
        raise ProfgateError(name, "is not there; the step that should write it says why")
    report = from_json(read_text(place, LARGEST_REPORT), name)
    _check(job, report, name)
    return merge(job, [Leg(job.settings.key, report, _links_beside(place, name))])


def _check(job: Job, report: Report, name: str) -> None:
    """Only what was measured of this run's commit may speak for it."""
    about, mine = report.target.sha, {job.context.head_sha, job.context.sha}
    if about not in mine:
        what = f"is about {about or 'no commit'}, this run about {job.context.head_sha}; give a report of this run"
        raise ProfgateError(name, what)


def _links_beside(place: str, name: str) -> Links:
    """The links of the first measurement, where they lie beside the report."""
    beside = posixpath.join(posixpath.dirname(place), LINKS_NAME)
    if not exists(beside):
        return Links()
    return links_from_json(read_text(beside, LARGEST_LINKS), posixpath.join(posixpath.dirname(name), LINKS_NAME))
