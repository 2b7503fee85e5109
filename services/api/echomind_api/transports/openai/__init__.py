"""OpenAI's API at `/v1`, for tools that speak it. It translates, and asks by the service objects of our own API."""

from echomind_api.transports.openai.routes import openai_routes

__all__ = ["openai_routes"]
