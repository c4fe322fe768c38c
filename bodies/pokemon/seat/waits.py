"""How long each operation may take before its connection counts as lost. Seconds; pure."""

from __future__ import annotations

from bodies.pokemon.wire import Action, ButtonPress, FrameAdvance, Limits, UnsetType

CONNECT_S = 10.0
ASK_S = 10.0
"""Everything but actions: join, observe, frame, session, leave."""

_FRAMES_PER_S = 60
_SLACK_S = 10.0
_LONGEST_S = 300.0  # a world's own limits are not trusted with an endless wait


def act_wait(action: Action, limits: Limits) -> float:
    """The frames that the action asks for, the world's stall timeout, and ten seconds."""
    if isinstance(action, ButtonPress):
        repeat = 1 if isinstance(action.repeat, UnsetType) else action.repeat
        frames = action.hold_frames * repeat
    elif isinstance(action, FrameAdvance):
        frames = action.frames
    else:
        frames = limits.max_frames_per_action
    return min(frames / _FRAMES_PER_S + limits.stall_timeout_ms / 1000 + _SLACK_S, _LONGEST_S)
