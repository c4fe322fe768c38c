"""The run's last line, from what every part has counted."""

from __future__ import annotations

import trio

from kernel.body import Leave
from kernel.controls import Controls, Ending
from kernel.journal.lines import SummaryLine, Undelivered, Volition
from kernel.play import Play


def summary_of(play: Play, controls: Controls, ending: Ending, leave: Leave) -> SummaryLine:
    """What the run came to; called once, after the farewell."""
    totals, stats = play.body.totals(), play.body.stats()
    spoken, written = play.speaking.counts, play.trail.writer
    count, times = controls.interjections.undelivered()
    usage = play.trail.usage
    usage.end_run()
    return SummaryLine(
        outcome=ending.outcome,
        turns_taken=play.tally.turns,
        accepted=play.tally.accepted,
        duration_ms=round((trio.current_time() - play.sofar.began) * 1000),
        usage=usage.total(),
        progress=totals.progress,
        volition=Volition(
            offered=spoken.offered,
            taken=spoken.taken,
            suppressed=spoken.suppressed,
            skipped=spoken.skipped,
        ),
        coherence=totals.coherence,
        longest_unchanged_run=totals.longest_unchanged_run,
        longest_recurring_run=totals.longest_recurring_run,
        objectives_retired=totals.objectives_retired,
        frames_published=stats.get("frames_published", 0),
        frames_dropped=stats.get("frames_dropped", 0),
        rolled_windows=written.rolled_windows,
        dropped_evidence_events=written.written.lost,
        undelivered=Undelivered(count=count, times=times),
        interjections_dropped=controls.interjections.dropped,
        unreported_calls=usage.unreported,
        leave=leave.leave,
        screenshot=play.trail.keep_end(play.last_frame),
    )


def counters_of(play: Play, controls: Controls) -> dict[str, int]:
    """The session's counters so far, by fixed names."""
    heard, written, pictures = (
        controls.interjections,
        play.trail.writer.written,
        play.trail.pictures,
    )
    return {
        **play.body.stats(),
        "interjections_queued": heard.queued,
        "interjections_merged": heard.merged,
        "interjections_dropped": heard.dropped,
        "interjections_undelivered": heard.undelivered()[0],
        "interjections_echoed": controls.echoes,
        "journal_bytes": written.bytes,
        "journal_lines_lost": written.lost,
        "journal_flush_failures": written.flush_failures,
        "pictures_failed": pictures.failed + pictures.refused,
        "windows_rolled": play.trail.writer.rolled_windows,
        "voice_failures": play.speaking.counts.voice_failures,
        "voice_skipped": play.speaking.counts.skipped,
        "world_events_replaced": play.deciding.events.replaced,
    }
