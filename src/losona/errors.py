"""The exceptions of losona, and nothing else.

LosonaError
├── UserFault        the user can mend it: one sentence, exit code 2, no traceback
│   ├── ContentError     a pack, frame, scenario file or prompt template is wrong
│   └── RunRefused       the run would mix replies that cannot be compared, or cannot start
├── CheckError       a verifier cannot be applied (a missing parameter, a pattern that ran out of time)
└── NoReply          a subject's provider failed, after its bounded retries
"""


class LosonaError(Exception):
    """Base of everything that this package raises on purpose."""


class UserFault(LosonaError):
    """Something that the user can mend; the message says what, where and how."""


class ContentError(UserFault):
    """A content file is wrong. The message names file, place, what is allowed and the remedy."""


class RunRefused(UserFault):
    """A run cannot start or go on as asked; the message names the difference or what is missing."""


class CheckError(LosonaError):
    """A verifier cannot be applied to a reply; the reply stays unscored and the reason is kept."""


class NoReply(LosonaError):
    """A subject's provider failed for good; the call becomes an error in the tables and is asked again later."""


def provider_message(error: BaseException) -> str:
    """What a provider's exception says, on one line: without the request, and without the wrapping of retries.

    It can be written to any file: half of a surrogate pair becomes a question mark.
    """
    return _message(error).encode("utf-8", "replace").decode()


def _message(error: BaseException) -> str:
    attempt = getattr(error, "last_attempt", None)
    cause = attempt.exception() if attempt is not None else None
    if isinstance(cause, BaseException):
        return _message(cause)
    said = getattr(error, "provider_message", None) or str(error)
    if isinstance(error, NoReply):
        return " ".join(said.split())
    if isinstance(error, TypeError | IndexError | KeyError | AttributeError):
        said = f"the provider's answer cannot be read ({said})"
    return " ".join(f"{type(error).__name__}: {said}".split())
