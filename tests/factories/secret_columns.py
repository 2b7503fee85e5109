"""What columns with secrets are called."""

import re

SECRET_NAME = re.compile(r"encrypted|secret|password|credential|api_key|private|verifier")
