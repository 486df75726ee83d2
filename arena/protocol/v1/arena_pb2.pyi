from arena.protocol.v1 import commerce_pb2 as _commerce_pb2
from arena.protocol.v1 import mia_pb2 as _mia_pb2
from arena.protocol.v1 import three_coins_pb2 as _three_coins_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FaultRule(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_RULE_UNSPECIFIED: _ClassVar[FaultRule]
    FAULT_RULE_FORFEIT: _ClassVar[FaultRule]
    FAULT_RULE_DEFAULT: _ClassVar[FaultRule]

class FaultKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_KIND_UNSPECIFIED: _ClassVar[FaultKind]
    FAULT_KIND_UNREADABLE: _ClassVar[FaultKind]
    FAULT_KIND_ILLEGAL: _ClassVar[FaultKind]
    FAULT_KIND_LATE: _ClassVar[FaultKind]
    FAULT_KIND_GONE: _ClassVar[FaultKind]

class ErrorCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_CODE_UNSPECIFIED: _ClassVar[ErrorCode]
    ERROR_CODE_UNAUTHENTICATED: _ClassVar[ErrorCode]
    ERROR_CODE_WRONG_GAME: _ClassVar[ErrorCode]
    ERROR_CODE_PROTOCOL: _ClassVar[ErrorCode]
    ERROR_CODE_TOO_MANY: _ClassVar[ErrorCode]
    ERROR_CODE_NOT_ALLOWED: _ClassVar[ErrorCode]
    ERROR_CODE_UNAVAILABLE: _ClassVar[ErrorCode]
    ERROR_CODE_REPLACED: _ClassVar[ErrorCode]
FAULT_RULE_UNSPECIFIED: FaultRule
FAULT_RULE_FORFEIT: FaultRule
FAULT_RULE_DEFAULT: FaultRule
FAULT_KIND_UNSPECIFIED: FaultKind
FAULT_KIND_UNREADABLE: FaultKind
FAULT_KIND_ILLEGAL: FaultKind
FAULT_KIND_LATE: FaultKind
FAULT_KIND_GONE: FaultKind
ERROR_CODE_UNSPECIFIED: ErrorCode
ERROR_CODE_UNAUTHENTICATED: ErrorCode
ERROR_CODE_WRONG_GAME: ErrorCode
ERROR_CODE_PROTOCOL: ErrorCode
ERROR_CODE_TOO_MANY: ErrorCode
ERROR_CODE_NOT_ALLOWED: ErrorCode
ERROR_CODE_UNAVAILABLE: ErrorCode
ERROR_CODE_REPLACED: ErrorCode

class PlayRequest(_message.Message):
    __slots__ = ("hello", "nonce_hash", "nonce", "ready", "answer")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    NONCE_HASH_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    nonce_hash: NonceHash
    nonce: Nonce
    ready: Ready
    answer: Answer
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., nonce_hash: _Optional[_Union[NonceHash, _Mapping]] = ..., nonce: _Optional[_Union[Nonce, _Mapping]] = ..., ready: _Optional[_Union[Ready, _Mapping]] = ..., answer: _Optional[_Union[Answer, _Mapping]] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("welcome", "series_start", "block_opening", "block_commitment", "match_start", "question", "match_end", "block_reveal", "series_end", "error")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    SERIES_START_FIELD_NUMBER: _ClassVar[int]
    BLOCK_OPENING_FIELD_NUMBER: _ClassVar[int]
    BLOCK_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    MATCH_START_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    MATCH_END_FIELD_NUMBER: _ClassVar[int]
    BLOCK_REVEAL_FIELD_NUMBER: _ClassVar[int]
    SERIES_END_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    series_start: SeriesStart
    block_opening: BlockOpening
    block_commitment: BlockCommitment
    match_start: MatchStart
    question: Question
    match_end: MatchEnd
    block_reveal: BlockReveal
    series_end: SeriesEnd
    error: Error
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., series_start: _Optional[_Union[SeriesStart, _Mapping]] = ..., block_opening: _Optional[_Union[BlockOpening, _Mapping]] = ..., block_commitment: _Optional[_Union[BlockCommitment, _Mapping]] = ..., match_start: _Optional[_Union[MatchStart, _Mapping]] = ..., question: _Optional[_Union[Question, _Mapping]] = ..., match_end: _Optional[_Union[MatchEnd, _Mapping]] = ..., block_reveal: _Optional[_Union[BlockReveal, _Mapping]] = ..., series_end: _Optional[_Union[SeriesEnd, _Mapping]] = ..., error: _Optional[_Union[Error, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("token", "game", "version", "software", "resume")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SOFTWARE_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    token: str
    game: str
    version: str
    software: str
    resume: str
    def __init__(self, token: _Optional[str] = ..., game: _Optional[str] = ..., version: _Optional[str] = ..., software: _Optional[str] = ..., resume: _Optional[str] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("bot", "version", "session", "arena", "notice")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    ARENA_FIELD_NUMBER: _ClassVar[int]
    NOTICE_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    session: str
    arena: str
    notice: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., session: _Optional[str] = ..., arena: _Optional[str] = ..., notice: _Optional[str] = ...) -> None: ...

class SeriesStart(_message.Message):
    __slots__ = ("series", "matches", "players")
    SERIES_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    series: str
    matches: int
    players: _containers.RepeatedCompositeFieldContainer[Player]
    def __init__(self, series: _Optional[str] = ..., matches: _Optional[int] = ..., players: _Optional[_Iterable[_Union[Player, _Mapping]]] = ...) -> None: ...

class Player(_message.Message):
    __slots__ = ("seat", "bot", "version")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bot: str
    version: str
    def __init__(self, seat: _Optional[int] = ..., bot: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class BlockOpening(_message.Message):
    __slots__ = ("block",)
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    block: str
    def __init__(self, block: _Optional[str] = ...) -> None: ...

class NonceHash(_message.Message):
    __slots__ = ("hash",)
    HASH_FIELD_NUMBER: _ClassVar[int]
    hash: bytes
    def __init__(self, hash: _Optional[bytes] = ...) -> None: ...

class BlockCommitment(_message.Message):
    __slots__ = ("block", "commitment", "nonce_hashes", "send_nonce")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    NONCE_HASHES_FIELD_NUMBER: _ClassVar[int]
    SEND_NONCE_FIELD_NUMBER: _ClassVar[int]
    block: str
    commitment: bytes
    nonce_hashes: _containers.RepeatedScalarFieldContainer[bytes]
    send_nonce: bool
    def __init__(self, block: _Optional[str] = ..., commitment: _Optional[bytes] = ..., nonce_hashes: _Optional[_Iterable[bytes]] = ..., send_nonce: bool = ...) -> None: ...

class Nonce(_message.Message):
    __slots__ = ("nonce",)
    NONCE_FIELD_NUMBER: _ClassVar[int]
    nonce: bytes
    def __init__(self, nonce: _Optional[bytes] = ...) -> None: ...

class Ruleset(_message.Message):
    __slots__ = ("game", "preset", "options")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: OptionValue
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[OptionValue, _Mapping]] = ...) -> None: ...
    GAME_FIELD_NUMBER: _ClassVar[int]
    PRESET_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    game: str
    preset: str
    options: _containers.MessageMap[str, OptionValue]
    def __init__(self, game: _Optional[str] = ..., preset: _Optional[str] = ..., options: _Optional[_Mapping[str, OptionValue]] = ...) -> None: ...

class OptionValue(_message.Message):
    __slots__ = ("word", "number")
    WORD_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    word: str
    number: int
    def __init__(self, word: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class Clock(_message.Message):
    __slots__ = ("ready_ms", "move_ms", "bank_ms")
    READY_MS_FIELD_NUMBER: _ClassVar[int]
    MOVE_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    ready_ms: int
    move_ms: int
    bank_ms: int
    def __init__(self, ready_ms: _Optional[int] = ..., move_ms: _Optional[int] = ..., bank_ms: _Optional[int] = ...) -> None: ...

class MatchStart(_message.Message):
    __slots__ = ("match", "seat", "players", "ruleset", "clock", "faults", "number", "so_far")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SO_FAR_FIELD_NUMBER: _ClassVar[int]
    match: str
    seat: int
    players: _containers.RepeatedCompositeFieldContainer[Player]
    ruleset: Ruleset
    clock: Clock
    faults: FaultRule
    number: int
    so_far: _containers.RepeatedCompositeFieldContainer[Event]
    def __init__(self, match: _Optional[str] = ..., seat: _Optional[int] = ..., players: _Optional[_Iterable[_Union[Player, _Mapping]]] = ..., ruleset: _Optional[_Union[Ruleset, _Mapping]] = ..., clock: _Optional[_Union[Clock, _Mapping]] = ..., faults: _Optional[_Union[FaultRule, str]] = ..., number: _Optional[int] = ..., so_far: _Optional[_Iterable[_Union[Event, _Mapping]]] = ...) -> None: ...

class Ready(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class Question(_message.Message):
    __slots__ = ("decision", "events", "view", "legal", "deadline_ms", "bank_ms")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    decision: int
    events: _containers.RepeatedCompositeFieldContainer[Event]
    view: View
    legal: _containers.RepeatedCompositeFieldContainer[Move]
    deadline_ms: int
    bank_ms: int
    def __init__(self, decision: _Optional[int] = ..., events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., view: _Optional[_Union[View, _Mapping]] = ..., legal: _Optional[_Iterable[_Union[Move, _Mapping]]] = ..., deadline_ms: _Optional[int] = ..., bank_ms: _Optional[int] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("decision", "move", "log")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    decision: int
    move: Move
    log: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, decision: _Optional[int] = ..., move: _Optional[_Union[Move, _Mapping]] = ..., log: _Optional[_Iterable[str]] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ("three_coins", "mia", "commerce")
    THREE_COINS_FIELD_NUMBER: _ClassVar[int]
    MIA_FIELD_NUMBER: _ClassVar[int]
    COMMERCE_FIELD_NUMBER: _ClassVar[int]
    three_coins: _three_coins_pb2.ThreeCoinsMove
    mia: _mia_pb2.MiaMove
    commerce: _commerce_pb2.CommerceMove
    def __init__(self, three_coins: _Optional[_Union[_three_coins_pb2.ThreeCoinsMove, _Mapping]] = ..., mia: _Optional[_Union[_mia_pb2.MiaMove, _Mapping]] = ..., commerce: _Optional[_Union[_commerce_pb2.CommerceMove, _Mapping]] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ("three_coins", "mia", "commerce")
    THREE_COINS_FIELD_NUMBER: _ClassVar[int]
    MIA_FIELD_NUMBER: _ClassVar[int]
    COMMERCE_FIELD_NUMBER: _ClassVar[int]
    three_coins: _three_coins_pb2.ThreeCoinsView
    mia: _mia_pb2.MiaView
    commerce: _commerce_pb2.CommerceView
    def __init__(self, three_coins: _Optional[_Union[_three_coins_pb2.ThreeCoinsView, _Mapping]] = ..., mia: _Optional[_Union[_mia_pb2.MiaView, _Mapping]] = ..., commerce: _Optional[_Union[_commerce_pb2.CommerceView, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("three_coins", "mia", "commerce")
    THREE_COINS_FIELD_NUMBER: _ClassVar[int]
    MIA_FIELD_NUMBER: _ClassVar[int]
    COMMERCE_FIELD_NUMBER: _ClassVar[int]
    three_coins: _three_coins_pb2.ThreeCoinsEvent
    mia: _mia_pb2.MiaEvent
    commerce: _commerce_pb2.CommerceEvent
    def __init__(self, three_coins: _Optional[_Union[_three_coins_pb2.ThreeCoinsEvent, _Mapping]] = ..., mia: _Optional[_Union[_mia_pb2.MiaEvent, _Mapping]] = ..., commerce: _Optional[_Union[_commerce_pb2.CommerceEvent, _Mapping]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("seat", "kind", "detail")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    seat: int
    kind: FaultKind
    detail: str
    def __init__(self, seat: _Optional[int] = ..., kind: _Optional[_Union[FaultKind, str]] = ..., detail: _Optional[str] = ...) -> None: ...

class MatchEnd(_message.Message):
    __slots__ = ("match", "events", "places", "reason", "scores", "faults", "voided")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    VOIDED_FIELD_NUMBER: _ClassVar[int]
    match: str
    events: _containers.RepeatedCompositeFieldContainer[Event]
    places: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    scores: _containers.RepeatedScalarFieldContainer[int]
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    voided: str
    def __init__(self, match: _Optional[str] = ..., events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., places: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ..., scores: _Optional[_Iterable[int]] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ..., voided: _Optional[str] = ...) -> None: ...

class BlockReveal(_message.Message):
    __slots__ = ("block", "seed", "nonces", "records")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    NONCES_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    block: str
    seed: bytes
    nonces: _containers.RepeatedScalarFieldContainer[bytes]
    records: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, block: _Optional[str] = ..., seed: _Optional[bytes] = ..., nonces: _Optional[_Iterable[bytes]] = ..., records: _Optional[_Iterable[str]] = ...) -> None: ...

class SeriesEnd(_message.Message):
    __slots__ = ("message",)
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    message: str
    def __init__(self, message: _Optional[str] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("code", "message")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    code: ErrorCode
    message: str
    def __init__(self, code: _Optional[_Union[ErrorCode, str]] = ..., message: _Optional[str] = ...) -> None: ...
