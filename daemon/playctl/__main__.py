"""`python -m daemon.playctl`."""

from daemon.playctl.main import main

main()
