"""Tables that stay where they are: what every engine on a server has in common."""
