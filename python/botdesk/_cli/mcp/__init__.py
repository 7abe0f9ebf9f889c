"""The operations of the API as tools of the Model Context Protocol; needs the extra `mcp`."""
