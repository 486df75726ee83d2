from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CommerceWord(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMMERCE_WORD_UNSPECIFIED: _ClassVar[CommerceWord]
    COMMERCE_WORD_REFUSE: _ClassVar[CommerceWord]
    COMMERCE_WORD_PASS: _ClassVar[CommerceWord]

class CommerceKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMMERCE_KIND_UNSPECIFIED: _ClassVar[CommerceKind]
    COMMERCE_KIND_POEN: _ClassVar[CommerceKind]
    COMMERCE_KIND_TERZ: _ClassVar[CommerceKind]
    COMMERCE_KIND_TRICON: _ClassVar[CommerceKind]

class CommerceHow(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMMERCE_HOW_UNSPECIFIED: _ClassVar[CommerceHow]
    COMMERCE_HOW_TAKEN: _ClassVar[CommerceHow]
    COMMERCE_HOW_SPLIT: _ClassVar[CommerceHow]
    COMMERCE_HOW_TIED: _ClassVar[CommerceHow]
    COMMERCE_HOW_CARRIED: _ClassVar[CommerceHow]

class CommercePhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMMERCE_PHASE_UNSPECIFIED: _ClassVar[CommercePhase]
    COMMERCE_PHASE_LOT: _ClassVar[CommercePhase]
    COMMERCE_PHASE_DEAL: _ClassVar[CommercePhase]
    COMMERCE_PHASE_TRADING: _ClassVar[CommercePhase]
    COMMERCE_PHASE_OFFERED: _ClassVar[CommercePhase]
    COMMERCE_PHASE_RESHUFFLE: _ClassVar[CommercePhase]
    COMMERCE_PHASE_OVER: _ClassVar[CommercePhase]

class CommercePayment(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMMERCE_PAYMENT_UNSPECIFIED: _ClassVar[CommercePayment]
    COMMERCE_PAYMENT_ANTE: _ClassVar[CommercePayment]
    COMMERCE_PAYMENT_CIRCLE: _ClassVar[CommercePayment]
    COMMERCE_PAYMENT_TIE: _ClassVar[CommercePayment]
    COMMERCE_PAYMENT_SCORE: _ClassVar[CommercePayment]
COMMERCE_WORD_UNSPECIFIED: CommerceWord
COMMERCE_WORD_REFUSE: CommerceWord
COMMERCE_WORD_PASS: CommerceWord
COMMERCE_KIND_UNSPECIFIED: CommerceKind
COMMERCE_KIND_POEN: CommerceKind
COMMERCE_KIND_TERZ: CommerceKind
COMMERCE_KIND_TRICON: CommerceKind
COMMERCE_HOW_UNSPECIFIED: CommerceHow
COMMERCE_HOW_TAKEN: CommerceHow
COMMERCE_HOW_SPLIT: CommerceHow
COMMERCE_HOW_TIED: CommerceHow
COMMERCE_HOW_CARRIED: CommerceHow
COMMERCE_PHASE_UNSPECIFIED: CommercePhase
COMMERCE_PHASE_LOT: CommercePhase
COMMERCE_PHASE_DEAL: CommercePhase
COMMERCE_PHASE_TRADING: CommercePhase
COMMERCE_PHASE_OFFERED: CommercePhase
COMMERCE_PHASE_RESHUFFLE: CommercePhase
COMMERCE_PHASE_OVER: CommercePhase
COMMERCE_PAYMENT_UNSPECIFIED: CommercePayment
COMMERCE_PAYMENT_ANTE: CommercePayment
COMMERCE_PAYMENT_CIRCLE: CommercePayment
COMMERCE_PAYMENT_TIE: CommercePayment
COMMERCE_PAYMENT_SCORE: CommercePayment

class CommerceMove(_message.Message):
    __slots__ = ("buy", "offer", "give", "word")
    BUY_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    GIVE_FIELD_NUMBER: _ClassVar[int]
    WORD_FIELD_NUMBER: _ClassVar[int]
    buy: str
    offer: str
    give: str
    word: CommerceWord
    def __init__(self, buy: _Optional[str] = ..., offer: _Optional[str] = ..., give: _Optional[str] = ..., word: _Optional[_Union[CommerceWord, str]] = ...) -> None: ...

class CommerceShown(_message.Message):
    __slots__ = ("seat", "cards", "kind", "heights")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    HEIGHTS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[str]
    kind: CommerceKind
    heights: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[str]] = ..., kind: _Optional[_Union[CommerceKind, str]] = ..., heights: _Optional[_Iterable[int]] = ...) -> None: ...

class CommerceDiscard(_message.Message):
    __slots__ = ("seat", "card", "shown")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: str
    shown: bool
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[str] = ..., shown: bool = ...) -> None: ...

class CommerceHandResult(_message.Message):
    __slots__ = ("hand", "how", "shown", "winners", "gains", "points", "pot")
    HAND_FIELD_NUMBER: _ClassVar[int]
    HOW_FIELD_NUMBER: _ClassVar[int]
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    WINNERS_FIELD_NUMBER: _ClassVar[int]
    GAINS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    POT_FIELD_NUMBER: _ClassVar[int]
    hand: int
    how: CommerceHow
    shown: _containers.RepeatedCompositeFieldContainer[CommerceShown]
    winners: _containers.RepeatedScalarFieldContainer[int]
    gains: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    pot: int
    def __init__(self, hand: _Optional[int] = ..., how: _Optional[_Union[CommerceHow, str]] = ..., shown: _Optional[_Iterable[_Union[CommerceShown, _Mapping]]] = ..., winners: _Optional[_Iterable[int]] = ..., gains: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ..., pot: _Optional[int] = ...) -> None: ...

class CommerceView(_message.Message):
    __slots__ = ("phase", "hand", "banker", "circle", "turn", "asked", "chips", "pot", "live", "own_hand", "stock", "discards", "aside", "offer", "offer_to", "offered", "traded", "quiet", "points", "last")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    BANKER_FIELD_NUMBER: _ClassVar[int]
    CIRCLE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    CHIPS_FIELD_NUMBER: _ClassVar[int]
    POT_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    OWN_HAND_FIELD_NUMBER: _ClassVar[int]
    STOCK_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    ASIDE_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    OFFER_TO_FIELD_NUMBER: _ClassVar[int]
    OFFERED_FIELD_NUMBER: _ClassVar[int]
    TRADED_FIELD_NUMBER: _ClassVar[int]
    QUIET_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    phase: CommercePhase
    hand: int
    banker: int
    circle: int
    turn: int
    asked: _containers.RepeatedScalarFieldContainer[int]
    chips: _containers.RepeatedScalarFieldContainer[int]
    pot: int
    live: _containers.RepeatedScalarFieldContainer[int]
    own_hand: _containers.RepeatedScalarFieldContainer[str]
    stock: int
    discards: _containers.RepeatedCompositeFieldContainer[CommerceDiscard]
    aside: int
    offer: str
    offer_to: int
    offered: bool
    traded: bool
    quiet: int
    points: _containers.RepeatedScalarFieldContainer[int]
    last: CommerceHandResult
    def __init__(self, phase: _Optional[_Union[CommercePhase, str]] = ..., hand: _Optional[int] = ..., banker: _Optional[int] = ..., circle: _Optional[int] = ..., turn: _Optional[int] = ..., asked: _Optional[_Iterable[int]] = ..., chips: _Optional[_Iterable[int]] = ..., pot: _Optional[int] = ..., live: _Optional[_Iterable[int]] = ..., own_hand: _Optional[_Iterable[str]] = ..., stock: _Optional[int] = ..., discards: _Optional[_Iterable[_Union[CommerceDiscard, _Mapping]]] = ..., aside: _Optional[int] = ..., offer: _Optional[str] = ..., offer_to: _Optional[int] = ..., offered: bool = ..., traded: bool = ..., quiet: _Optional[int] = ..., points: _Optional[_Iterable[int]] = ..., last: _Optional[_Union[CommerceHandResult, _Mapping]] = ...) -> None: ...

class CommerceEvent(_message.Message):
    __slots__ = ("hand_began", "paid", "dealt", "circle_began", "bought", "discarded", "reshuffled", "drew", "offered", "offer_seen", "offer_refused", "bartered", "swapped", "passed", "scored", "hand_ended", "went_out", "match_ended")
    HAND_BEGAN_FIELD_NUMBER: _ClassVar[int]
    PAID_FIELD_NUMBER: _ClassVar[int]
    DEALT_FIELD_NUMBER: _ClassVar[int]
    CIRCLE_BEGAN_FIELD_NUMBER: _ClassVar[int]
    BOUGHT_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    RESHUFFLED_FIELD_NUMBER: _ClassVar[int]
    DREW_FIELD_NUMBER: _ClassVar[int]
    OFFERED_FIELD_NUMBER: _ClassVar[int]
    OFFER_SEEN_FIELD_NUMBER: _ClassVar[int]
    OFFER_REFUSED_FIELD_NUMBER: _ClassVar[int]
    BARTERED_FIELD_NUMBER: _ClassVar[int]
    SWAPPED_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    SCORED_FIELD_NUMBER: _ClassVar[int]
    HAND_ENDED_FIELD_NUMBER: _ClassVar[int]
    WENT_OUT_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDED_FIELD_NUMBER: _ClassVar[int]
    hand_began: CommerceHandBegan
    paid: CommercePaid
    dealt: CommerceDealt
    circle_began: CommerceCircleBegan
    bought: CommerceBought
    discarded: CommerceDiscarded
    reshuffled: CommerceReshuffled
    drew: CommerceDrew
    offered: CommerceOffered
    offer_seen: CommerceOfferSeen
    offer_refused: CommerceOfferRefused
    bartered: CommerceBartered
    swapped: CommerceSwapped
    passed: CommercePassed
    scored: CommerceScored
    hand_ended: CommerceHandResult
    went_out: CommerceWentOut
    match_ended: CommerceMatchEnded
    def __init__(self, hand_began: _Optional[_Union[CommerceHandBegan, _Mapping]] = ..., paid: _Optional[_Union[CommercePaid, _Mapping]] = ..., dealt: _Optional[_Union[CommerceDealt, _Mapping]] = ..., circle_began: _Optional[_Union[CommerceCircleBegan, _Mapping]] = ..., bought: _Optional[_Union[CommerceBought, _Mapping]] = ..., discarded: _Optional[_Union[CommerceDiscarded, _Mapping]] = ..., reshuffled: _Optional[_Union[CommerceReshuffled, _Mapping]] = ..., drew: _Optional[_Union[CommerceDrew, _Mapping]] = ..., offered: _Optional[_Union[CommerceOffered, _Mapping]] = ..., offer_seen: _Optional[_Union[CommerceOfferSeen, _Mapping]] = ..., offer_refused: _Optional[_Union[CommerceOfferRefused, _Mapping]] = ..., bartered: _Optional[_Union[CommerceBartered, _Mapping]] = ..., swapped: _Optional[_Union[CommerceSwapped, _Mapping]] = ..., passed: _Optional[_Union[CommercePassed, _Mapping]] = ..., scored: _Optional[_Union[CommerceScored, _Mapping]] = ..., hand_ended: _Optional[_Union[CommerceHandResult, _Mapping]] = ..., went_out: _Optional[_Union[CommerceWentOut, _Mapping]] = ..., match_ended: _Optional[_Union[CommerceMatchEnded, _Mapping]] = ...) -> None: ...

class CommerceHandBegan(_message.Message):
    __slots__ = ("hand", "banker", "redeal")
    HAND_FIELD_NUMBER: _ClassVar[int]
    BANKER_FIELD_NUMBER: _ClassVar[int]
    REDEAL_FIELD_NUMBER: _ClassVar[int]
    hand: int
    banker: int
    redeal: bool
    def __init__(self, hand: _Optional[int] = ..., banker: _Optional[int] = ..., redeal: bool = ...) -> None: ...

class CommercePaid(_message.Message):
    __slots__ = ("why", "paid", "pot")
    WHY_FIELD_NUMBER: _ClassVar[int]
    PAID_FIELD_NUMBER: _ClassVar[int]
    POT_FIELD_NUMBER: _ClassVar[int]
    why: CommercePayment
    paid: _containers.RepeatedScalarFieldContainer[int]
    pot: int
    def __init__(self, why: _Optional[_Union[CommercePayment, str]] = ..., paid: _Optional[_Iterable[int]] = ..., pot: _Optional[int] = ...) -> None: ...

class CommerceDealt(_message.Message):
    __slots__ = ("seat", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[str]] = ...) -> None: ...

class CommerceCircleBegan(_message.Message):
    __slots__ = ("circle",)
    CIRCLE_FIELD_NUMBER: _ClassVar[int]
    circle: int
    def __init__(self, circle: _Optional[int] = ...) -> None: ...

class CommerceBought(_message.Message):
    __slots__ = ("seat", "fee", "payee")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    FEE_FIELD_NUMBER: _ClassVar[int]
    PAYEE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    fee: int
    payee: int
    def __init__(self, seat: _Optional[int] = ..., fee: _Optional[int] = ..., payee: _Optional[int] = ...) -> None: ...

class CommerceDiscarded(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: str
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[str] = ...) -> None: ...

class CommerceReshuffled(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: int
    def __init__(self, cards: _Optional[int] = ...) -> None: ...

class CommerceDrew(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: str
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[str] = ...) -> None: ...

class CommerceOffered(_message.Message):
    __slots__ = ("seat", "to")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    seat: int
    to: int
    def __init__(self, seat: _Optional[int] = ..., to: _Optional[int] = ...) -> None: ...

class CommerceOfferSeen(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: str
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[str] = ...) -> None: ...

class CommerceOfferRefused(_message.Message):
    __slots__ = ("seat", "to")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    seat: int
    to: int
    def __init__(self, seat: _Optional[int] = ..., to: _Optional[int] = ...) -> None: ...

class CommerceBartered(_message.Message):
    __slots__ = ("seat", "to")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    seat: int
    to: int
    def __init__(self, seat: _Optional[int] = ..., to: _Optional[int] = ...) -> None: ...

class CommerceSwapped(_message.Message):
    __slots__ = ("seat", "gave", "got")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    GAVE_FIELD_NUMBER: _ClassVar[int]
    GOT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    gave: str
    got: str
    def __init__(self, seat: _Optional[int] = ..., gave: _Optional[str] = ..., got: _Optional[str] = ...) -> None: ...

class CommercePassed(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class CommerceScored(_message.Message):
    __slots__ = ("shown", "points", "total")
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    shown: CommerceShown
    points: int
    total: int
    def __init__(self, shown: _Optional[_Union[CommerceShown, _Mapping]] = ..., points: _Optional[int] = ..., total: _Optional[int] = ...) -> None: ...

class CommerceWentOut(_message.Message):
    __slots__ = ("seats", "forfeit")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedScalarFieldContainer[int]
    forfeit: bool
    def __init__(self, seats: _Optional[_Iterable[int]] = ..., forfeit: bool = ...) -> None: ...

class CommerceMatchEnded(_message.Message):
    __slots__ = ("places", "reason", "scores")
    PLACES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    scores: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, places: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ..., scores: _Optional[_Iterable[int]] = ...) -> None: ...
