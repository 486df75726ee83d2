"""What is happening now, sent to whoever looks at a page while it happens: server-sent events, without polling."""
