from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MiaWord(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MIA_WORD_UNSPECIFIED: _ClassVar[MiaWord]
    MIA_WORD_ROLL: _ClassVar[MiaWord]
    MIA_WORD_ROLL_BLIND: _ClassVar[MiaWord]
    MIA_WORD_CHALLENGE: _ClassVar[MiaWord]
    MIA_WORD_CONCEDE: _ClassVar[MiaWord]
    MIA_WORD_LOOK: _ClassVar[MiaWord]

class MiaEnding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MIA_ENDING_UNSPECIFIED: _ClassVar[MiaEnding]
    MIA_ENDING_CHALLENGE: _ClassVar[MiaEnding]
    MIA_ENDING_LOOK: _ClassVar[MiaEnding]
    MIA_ENDING_CONCEDE: _ClassVar[MiaEnding]

class MiaPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MIA_PHASE_UNSPECIFIED: _ClassVar[MiaPhase]
    MIA_PHASE_STARTING: _ClassVar[MiaPhase]
    MIA_PHASE_OPENING: _ClassVar[MiaPhase]
    MIA_PHASE_ROLLING: _ClassVar[MiaPhase]
    MIA_PHASE_ANNOUNCING: _ClassVar[MiaPhase]
    MIA_PHASE_ANSWERING: _ClassVar[MiaPhase]
    MIA_PHASE_MIA: _ClassVar[MiaPhase]
    MIA_PHASE_OVER: _ClassVar[MiaPhase]
MIA_WORD_UNSPECIFIED: MiaWord
MIA_WORD_ROLL: MiaWord
MIA_WORD_ROLL_BLIND: MiaWord
MIA_WORD_CHALLENGE: MiaWord
MIA_WORD_CONCEDE: MiaWord
MIA_WORD_LOOK: MiaWord
MIA_ENDING_UNSPECIFIED: MiaEnding
MIA_ENDING_CHALLENGE: MiaEnding
MIA_ENDING_LOOK: MiaEnding
MIA_ENDING_CONCEDE: MiaEnding
MIA_PHASE_UNSPECIFIED: MiaPhase
MIA_PHASE_STARTING: MiaPhase
MIA_PHASE_OPENING: MiaPhase
MIA_PHASE_ROLLING: MiaPhase
MIA_PHASE_ANNOUNCING: MiaPhase
MIA_PHASE_ANSWERING: MiaPhase
MIA_PHASE_MIA: MiaPhase
MIA_PHASE_OVER: MiaPhase

class MiaMove(_message.Message):
    __slots__ = ("say", "pass_on", "word")
    SAY_FIELD_NUMBER: _ClassVar[int]
    PASS_ON_FIELD_NUMBER: _ClassVar[int]
    WORD_FIELD_NUMBER: _ClassVar[int]
    say: str
    pass_on: str
    word: MiaWord
    def __init__(self, say: _Optional[str] = ..., pass_on: _Optional[str] = ..., word: _Optional[_Union[MiaWord, str]] = ...) -> None: ...

class MiaActed(_message.Message):
    __slots__ = ("seat", "move")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    move: MiaMove
    def __init__(self, seat: _Optional[int] = ..., move: _Optional[_Union[MiaMove, _Mapping]] = ...) -> None: ...

class MiaShowdown(_message.Message):
    __slots__ = ("round", "how", "ender", "announcer", "announced", "roller", "looked", "to_beat", "claim", "dice", "loser", "lives", "sips")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    HOW_FIELD_NUMBER: _ClassVar[int]
    ENDER_FIELD_NUMBER: _ClassVar[int]
    ANNOUNCER_FIELD_NUMBER: _ClassVar[int]
    ANNOUNCED_FIELD_NUMBER: _ClassVar[int]
    ROLLER_FIELD_NUMBER: _ClassVar[int]
    LOOKED_FIELD_NUMBER: _ClassVar[int]
    TO_BEAT_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    LOSER_FIELD_NUMBER: _ClassVar[int]
    LIVES_FIELD_NUMBER: _ClassVar[int]
    SIPS_FIELD_NUMBER: _ClassVar[int]
    round: int
    how: MiaEnding
    ender: int
    announcer: int
    announced: str
    roller: int
    looked: bool
    to_beat: str
    claim: str
    dice: _containers.RepeatedScalarFieldContainer[int]
    loser: int
    lives: int
    sips: int
    def __init__(self, round: _Optional[int] = ..., how: _Optional[_Union[MiaEnding, str]] = ..., ender: _Optional[int] = ..., announcer: _Optional[int] = ..., announced: _Optional[str] = ..., roller: _Optional[int] = ..., looked: bool = ..., to_beat: _Optional[str] = ..., claim: _Optional[str] = ..., dice: _Optional[_Iterable[int]] = ..., loser: _Optional[int] = ..., lives: _Optional[int] = ..., sips: _Optional[int] = ...) -> None: ...

class MiaView(_message.Message):
    __slots__ = ("phase", "round", "starter", "turn", "asked", "clockwise", "lives", "sips", "live", "roller", "dice", "seen", "to_beat", "claim", "announced", "announcer", "namer", "announcements", "last")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    CLOCKWISE_FIELD_NUMBER: _ClassVar[int]
    LIVES_FIELD_NUMBER: _ClassVar[int]
    SIPS_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    ROLLER_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    TO_BEAT_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    ANNOUNCED_FIELD_NUMBER: _ClassVar[int]
    ANNOUNCER_FIELD_NUMBER: _ClassVar[int]
    NAMER_FIELD_NUMBER: _ClassVar[int]
    ANNOUNCEMENTS_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    phase: MiaPhase
    round: int
    starter: int
    turn: int
    asked: _containers.RepeatedScalarFieldContainer[int]
    clockwise: bool
    lives: _containers.RepeatedScalarFieldContainer[int]
    sips: _containers.RepeatedScalarFieldContainer[int]
    live: _containers.RepeatedScalarFieldContainer[int]
    roller: int
    dice: _containers.RepeatedScalarFieldContainer[int]
    seen: _containers.RepeatedScalarFieldContainer[int]
    to_beat: str
    claim: str
    announced: str
    announcer: int
    namer: int
    announcements: int
    last: MiaShowdown
    def __init__(self, phase: _Optional[_Union[MiaPhase, str]] = ..., round: _Optional[int] = ..., starter: _Optional[int] = ..., turn: _Optional[int] = ..., asked: _Optional[_Iterable[int]] = ..., clockwise: bool = ..., lives: _Optional[_Iterable[int]] = ..., sips: _Optional[_Iterable[int]] = ..., live: _Optional[_Iterable[int]] = ..., roller: _Optional[int] = ..., dice: _Optional[_Iterable[int]] = ..., seen: _Optional[_Iterable[int]] = ..., to_beat: _Optional[str] = ..., claim: _Optional[str] = ..., announced: _Optional[str] = ..., announcer: _Optional[int] = ..., namer: _Optional[int] = ..., announcements: _Optional[int] = ..., last: _Optional[_Union[MiaShowdown, _Mapping]] = ...) -> None: ...

class MiaEvent(_message.Message):
    __slots__ = ("start_rolled", "round_began", "acted", "saw", "turned", "round_ended", "round_broken", "went_out", "match_ended")
    START_ROLLED_FIELD_NUMBER: _ClassVar[int]
    ROUND_BEGAN_FIELD_NUMBER: _ClassVar[int]
    ACTED_FIELD_NUMBER: _ClassVar[int]
    SAW_FIELD_NUMBER: _ClassVar[int]
    TURNED_FIELD_NUMBER: _ClassVar[int]
    ROUND_ENDED_FIELD_NUMBER: _ClassVar[int]
    ROUND_BROKEN_FIELD_NUMBER: _ClassVar[int]
    WENT_OUT_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDED_FIELD_NUMBER: _ClassVar[int]
    start_rolled: MiaStartRolled
    round_began: MiaRoundBegan
    acted: MiaActed
    saw: MiaSaw
    turned: MiaTurned
    round_ended: MiaShowdown
    round_broken: MiaRoundBroken
    went_out: MiaWentOut
    match_ended: MiaMatchEnded
    def __init__(self, start_rolled: _Optional[_Union[MiaStartRolled, _Mapping]] = ..., round_began: _Optional[_Union[MiaRoundBegan, _Mapping]] = ..., acted: _Optional[_Union[MiaActed, _Mapping]] = ..., saw: _Optional[_Union[MiaSaw, _Mapping]] = ..., turned: _Optional[_Union[MiaTurned, _Mapping]] = ..., round_ended: _Optional[_Union[MiaShowdown, _Mapping]] = ..., round_broken: _Optional[_Union[MiaRoundBroken, _Mapping]] = ..., went_out: _Optional[_Union[MiaWentOut, _Mapping]] = ..., match_ended: _Optional[_Union[MiaMatchEnded, _Mapping]] = ...) -> None: ...

class MiaStartRolled(_message.Message):
    __slots__ = ("seats", "dice")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedScalarFieldContainer[int]
    dice: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seats: _Optional[_Iterable[int]] = ..., dice: _Optional[_Iterable[int]] = ...) -> None: ...

class MiaRoundBegan(_message.Message):
    __slots__ = ("round", "starter")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    round: int
    starter: int
    def __init__(self, round: _Optional[int] = ..., starter: _Optional[int] = ...) -> None: ...

class MiaSaw(_message.Message):
    __slots__ = ("seat", "dice")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    dice: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., dice: _Optional[_Iterable[int]] = ...) -> None: ...

class MiaTurned(_message.Message):
    __slots__ = ("clockwise",)
    CLOCKWISE_FIELD_NUMBER: _ClassVar[int]
    clockwise: bool
    def __init__(self, clockwise: bool = ...) -> None: ...

class MiaRoundBroken(_message.Message):
    __slots__ = ("round", "seat")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    round: int
    seat: int
    def __init__(self, round: _Optional[int] = ..., seat: _Optional[int] = ...) -> None: ...

class MiaWentOut(_message.Message):
    __slots__ = ("seats", "forfeit")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedScalarFieldContainer[int]
    forfeit: bool
    def __init__(self, seats: _Optional[_Iterable[int]] = ..., forfeit: bool = ...) -> None: ...

class MiaMatchEnded(_message.Message):
    __slots__ = ("places", "reason", "scores")
    PLACES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    scores: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, places: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ..., scores: _Optional[_Iterable[int]] = ...) -> None: ...
