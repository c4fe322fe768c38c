"""The practice model: a chat-completions server that plays by rules. It is no language model."""
