from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ThreeCoinsWord(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    THREE_COINS_WORD_UNSPECIFIED: _ClassVar[ThreeCoinsWord]
    THREE_COINS_WORD_CALL: _ClassVar[ThreeCoinsWord]
    THREE_COINS_WORD_CLIFF: _ClassVar[ThreeCoinsWord]
    THREE_COINS_WORD_ZERO: _ClassVar[ThreeCoinsWord]
    THREE_COINS_WORD_MAX: _ClassVar[ThreeCoinsWord]

class ThreeCoinsPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    THREE_COINS_PHASE_UNSPECIFIED: _ClassVar[ThreeCoinsPhase]
    THREE_COINS_PHASE_LOT: _ClassVar[ThreeCoinsPhase]
    THREE_COINS_PHASE_HIDING: _ClassVar[ThreeCoinsPhase]
    THREE_COINS_PHASE_BIDDING: _ClassVar[ThreeCoinsPhase]
    THREE_COINS_PHASE_OVER: _ClassVar[ThreeCoinsPhase]
THREE_COINS_WORD_UNSPECIFIED: ThreeCoinsWord
THREE_COINS_WORD_CALL: ThreeCoinsWord
THREE_COINS_WORD_CLIFF: ThreeCoinsWord
THREE_COINS_WORD_ZERO: ThreeCoinsWord
THREE_COINS_WORD_MAX: ThreeCoinsWord
THREE_COINS_PHASE_UNSPECIFIED: ThreeCoinsPhase
THREE_COINS_PHASE_LOT: ThreeCoinsPhase
THREE_COINS_PHASE_HIDING: ThreeCoinsPhase
THREE_COINS_PHASE_BIDDING: ThreeCoinsPhase
THREE_COINS_PHASE_OVER: ThreeCoinsPhase

class ThreeCoinsMove(_message.Message):
    __slots__ = ("hide", "bid", "word")
    HIDE_FIELD_NUMBER: _ClassVar[int]
    BID_FIELD_NUMBER: _ClassVar[int]
    WORD_FIELD_NUMBER: _ClassVar[int]
    hide: int
    bid: int
    word: ThreeCoinsWord
    def __init__(self, hide: _Optional[int] = ..., bid: _Optional[int] = ..., word: _Optional[_Union[ThreeCoinsWord, str]] = ...) -> None: ...

class ThreeCoinsSaid(_message.Message):
    __slots__ = ("seat", "move")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    move: ThreeCoinsMove
    def __init__(self, seat: _Optional[int] = ..., move: _Optional[_Union[ThreeCoinsMove, _Mapping]] = ...) -> None: ...

class ThreeCoinsShowdown(_message.Message):
    __slots__ = ("round", "hands", "total", "said", "right", "changes", "pot")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    SAID_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    POT_FIELD_NUMBER: _ClassVar[int]
    round: int
    hands: _containers.RepeatedScalarFieldContainer[int]
    total: int
    said: _containers.RepeatedCompositeFieldContainer[ThreeCoinsSaid]
    right: bool
    changes: _containers.RepeatedScalarFieldContainer[int]
    pot: int
    def __init__(self, round: _Optional[int] = ..., hands: _Optional[_Iterable[int]] = ..., total: _Optional[int] = ..., said: _Optional[_Iterable[_Union[ThreeCoinsSaid, _Mapping]]] = ..., right: bool = ..., changes: _Optional[_Iterable[int]] = ..., pot: _Optional[int] = ...) -> None: ...

class ThreeCoinsView(_message.Message):
    __slots__ = ("phase", "round", "starter", "turn", "asked", "coins", "pot", "live", "own_hand", "bid", "bidder", "said", "last")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    COINS_FIELD_NUMBER: _ClassVar[int]
    POT_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    OWN_HAND_FIELD_NUMBER: _ClassVar[int]
    BID_FIELD_NUMBER: _ClassVar[int]
    BIDDER_FIELD_NUMBER: _ClassVar[int]
    SAID_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    phase: ThreeCoinsPhase
    round: int
    starter: int
    turn: int
    asked: _containers.RepeatedScalarFieldContainer[int]
    coins: _containers.RepeatedScalarFieldContainer[int]
    pot: int
    live: _containers.RepeatedScalarFieldContainer[int]
    own_hand: int
    bid: int
    bidder: int
    said: _containers.RepeatedCompositeFieldContainer[ThreeCoinsSaid]
    last: ThreeCoinsShowdown
    def __init__(self, phase: _Optional[_Union[ThreeCoinsPhase, str]] = ..., round: _Optional[int] = ..., starter: _Optional[int] = ..., turn: _Optional[int] = ..., asked: _Optional[_Iterable[int]] = ..., coins: _Optional[_Iterable[int]] = ..., pot: _Optional[int] = ..., live: _Optional[_Iterable[int]] = ..., own_hand: _Optional[int] = ..., bid: _Optional[int] = ..., bidder: _Optional[int] = ..., said: _Optional[_Iterable[_Union[ThreeCoinsSaid, _Mapping]]] = ..., last: _Optional[_Union[ThreeCoinsShowdown, _Mapping]] = ...) -> None: ...

class ThreeCoinsEvent(_message.Message):
    __slots__ = ("round_began", "hid", "fists_closed", "spoke", "fists_opened", "round_broken", "went_out", "match_ended")
    ROUND_BEGAN_FIELD_NUMBER: _ClassVar[int]
    HID_FIELD_NUMBER: _ClassVar[int]
    FISTS_CLOSED_FIELD_NUMBER: _ClassVar[int]
    SPOKE_FIELD_NUMBER: _ClassVar[int]
    FISTS_OPENED_FIELD_NUMBER: _ClassVar[int]
    ROUND_BROKEN_FIELD_NUMBER: _ClassVar[int]
    WENT_OUT_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDED_FIELD_NUMBER: _ClassVar[int]
    round_began: ThreeCoinsRoundBegan
    hid: ThreeCoinsHid
    fists_closed: ThreeCoinsFistsClosed
    spoke: ThreeCoinsSaid
    fists_opened: ThreeCoinsShowdown
    round_broken: ThreeCoinsRoundBroken
    went_out: ThreeCoinsWentOut
    match_ended: ThreeCoinsMatchEnded
    def __init__(self, round_began: _Optional[_Union[ThreeCoinsRoundBegan, _Mapping]] = ..., hid: _Optional[_Union[ThreeCoinsHid, _Mapping]] = ..., fists_closed: _Optional[_Union[ThreeCoinsFistsClosed, _Mapping]] = ..., spoke: _Optional[_Union[ThreeCoinsSaid, _Mapping]] = ..., fists_opened: _Optional[_Union[ThreeCoinsShowdown, _Mapping]] = ..., round_broken: _Optional[_Union[ThreeCoinsRoundBroken, _Mapping]] = ..., went_out: _Optional[_Union[ThreeCoinsWentOut, _Mapping]] = ..., match_ended: _Optional[_Union[ThreeCoinsMatchEnded, _Mapping]] = ...) -> None: ...

class ThreeCoinsRoundBegan(_message.Message):
    __slots__ = ("round", "starter")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    round: int
    starter: int
    def __init__(self, round: _Optional[int] = ..., starter: _Optional[int] = ...) -> None: ...

class ThreeCoinsHid(_message.Message):
    __slots__ = ("seat", "coins")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    COINS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    coins: int
    def __init__(self, seat: _Optional[int] = ..., coins: _Optional[int] = ...) -> None: ...

class ThreeCoinsFistsClosed(_message.Message):
    __slots__ = ("seats", "starter")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedScalarFieldContainer[int]
    starter: int
    def __init__(self, seats: _Optional[_Iterable[int]] = ..., starter: _Optional[int] = ...) -> None: ...

class ThreeCoinsRoundBroken(_message.Message):
    __slots__ = ("round", "seat")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    round: int
    seat: int
    def __init__(self, round: _Optional[int] = ..., seat: _Optional[int] = ...) -> None: ...

class ThreeCoinsWentOut(_message.Message):
    __slots__ = ("seats", "forfeit")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedScalarFieldContainer[int]
    forfeit: bool
    def __init__(self, seats: _Optional[_Iterable[int]] = ..., forfeit: bool = ...) -> None: ...

class ThreeCoinsMatchEnded(_message.Message):
    __slots__ = ("places", "reason", "scores")
    PLACES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    scores: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, places: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ..., scores: _Optional[_Iterable[int]] = ...) -> None: ...
