"""Errors as responses of a FastAPI application, and their schema."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from echomind_lib.errors.body import STATUS, to_body
from echomind_lib.errors.catalogue import EchoMindError, NotFoundError, UnimplementedError, ValidationFailedError
from echomind_lib.errors.report import to_error, violations


class ErrorDetail(BaseModel):
    """The reason of a failed call."""

    code: str = Field(description="Canonical status code, for example `NOT_FOUND`.", examples=["NOT_FOUND"])
    reason: str = Field(description="Reason, as `ErrorReason` lists them, without prefix.", examples=["NOT_FOUND"])
    message: str = Field(description="What happened and what to do, for people.")
    metadata: dict[str, str] = Field(description="Facts for programs; the reason says which.")


class ErrorBody(BaseModel):
    """Body of every failed call."""

    error: ErrorDetail


def to_response(error: EchoMindError, status: int | None = None) -> Response:
    """Returns the HTTP response of an error.

    Args:
        error: The error.
        status: Another HTTP status than that of its code.
    """
    headers = {}
    if error.code == "UNAUTHENTICATED":
        headers["WWW-Authenticate"] = "Bearer"
    if (delay := error.metadata.get("retry_after_seconds")) is not None:
        headers["Retry-After"] = delay
    return Response(to_body(error), status or STATUS[error.code], headers, "application/json")


def add_error_handlers(app: FastAPI) -> None:
    """Makes an application return all errors in the same shape, also outside of the services' routes."""

    async def failed(_: Request, error: Exception) -> Response:
        return to_response(to_error(error))

    async def invalid(_: Request, error: Exception) -> Response:
        listed = error.errors() if isinstance(error, RequestValidationError) else []
        return to_response(violations(listed, skip=1, as_given=True))

    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if status == 404:
            return to_response(
                NotFoundError(f"there is no {request.url.path} here", resource="route", id=request.url.path)
            )
        if status == 405:
            return to_response(UnimplementedError(f"{request.url.path} does not take {request.method}"), status)
        if status < 500 and isinstance(error, HTTPException):
            return to_response(ValidationFailedError(str(error.detail)), status)
        return to_response(to_error(error))

    app.add_exception_handler(EchoMindError, failed)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(Exception, failed)
