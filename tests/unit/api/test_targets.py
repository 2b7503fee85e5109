"""Targets of calls, as named in the audit log."""

from echomind_api.calls.targets import target_of
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import ProtoModel
from echomind_lib.models import public
from tests.drivers.tables import for_each

RUN = "019a202d-ead7-79d9-9077-e75cc3dcaf35"


@for_each(
    ("method", "request_", "target"),
    [
        ("DocumentService/GetDocument", public.GetDocumentRequest(id=12), "documents/12"),
        ("DocumentService/GetDocument", None, "documents"),
        ("ChatMessageService/ListMessages", public.ListMessagesRequest(chat_session_id=3), "chat-sessions/3/messages"),
        ("RunService/PauseRun", public.PauseRunRequest(id=RUN), f"runs/{RUN}"),
        ("UserService/GetUser", public.GetUserRequest(id=4), "users/4"),
        ("UserService/ListUsers", None, "users"),
        ("DocumentService/UploadDocument", public.UploadDocumentRequest(source_id="a", content=b"x"), "documents"),
        ("DocumentService/DownloadDocument", None, "documents"),
        ("ApiKeyService/NoSuchMethod", None, "api-keys"),
    ],
)
def test_a_target_is_the_path_of_the_api(method: str, request_: ProtoModel | None, target: str) -> None:
    assert target_of(CallContext(f"echomind.public.v1.{method}", request=request_)) == target
