"""The command ``profgate verify``, which checks a report against its receipt."""

import shlex
import sys

import click

from profgate.cli import options as opt
from profgate.io.files import read_bytes
from profgate.model.visible_text import name_text, visible
from profgate.report.json_report import LARGEST_REPORT
from profgate.report.receipt import LARGEST_BUNDLE, PREDICATE_TYPE, verified
from profgate.report.wording import full_sentence


@opt.command("profgate verify report.json receipt.sigstore.json")
@click.argument("report", type=opt.FILE)
@click.argument("bundle", type=opt.FILE)
def verify(report: str, bundle: str) -> int:
    """Check that a report is the one that its receipt describes, without the network.

    REPORT is the report.json of a pull request with claims. BUNDLE is its attestation, which gh attestation download
    stores. The digest of the file and all that the receipt states must agree with the report. The signature is not
    checked, and therefore not who wrote the receipt: gh attestation verify does that.
    """
    data = verified(read_bytes(report, LARGEST_REPORT), read_bytes(bundle, LARGEST_BUNDLE), bundle)
    lines = [f"The receipt describes this report: {data.baseline.sha} to {data.target.sha}."]
    lines += [full_sentence(claim.remark, name_text) + "." for claim in data.claims if claim.remark is not None]
    lines.append(
        f"The signature was not checked. To check it: gh attestation verify {shlex.quote(report)}"
        f" --bundle {shlex.quote(bundle)} --repo OWNER/REPO --predicate-type {PREDICATE_TYPE}"
    )
    sys.stdout.write("".join(f"{visible(line)}\n" for line in lines))
    return 0
