"""`python -m sfumato.cli` is the command `sfumato`."""

import sys

from sfumato.cli.main import main

sys.exit(main())
