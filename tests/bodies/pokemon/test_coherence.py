import msgspec

from bodies.pokemon.coherence import Coherence

WALK = msgspec.Raw(b'{"kind":"walk_to","x":1,"y":1}')
PRESS = msgspec.Raw(b'{"kind":"button_press","button":"a","holdFrames":4}')


def test_an_action_that_the_intent_before_named_is_coherent():
    coherence = Coherence()
    coherence.fold(PRESS, "then walk to the ferry", stands=True)
    coherence.fold(WALK, "then walk on", stands=True)
    coherence.fold(PRESS, None, stands=True)

    assert coherence.share == 0.5


def test_a_plan_that_did_not_stand_is_not_held_against_the_player():
    coherence = Coherence()
    coherence.fold(PRESS, "walk to the ferry", stands=False)
    coherence.fold(PRESS, "talk to him", stands=True)
    coherence.fold(None, None, stands=False)
    coherence.fold(PRESS, "go", stands=True)

    assert coherence.share is None
