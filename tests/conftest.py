"""What every test has: the real servers, started when a test first asks for one."""

pytest_plugins = ["tests.fixtures.servers", "tests.fixtures.rows", "tests.fixtures.model_server"]
