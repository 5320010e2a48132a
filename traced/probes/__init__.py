"""What can be seen in a program; nothing here knows of a lesson."""
