"""What the checks give to projects outside the course: assertions, reports, magics."""
