"""Access to knowledge: by its level, and by its source documents."""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Boolean, ColumnElement, and_, any_, bindparam, exists, or_
from sqlalchemy.orm import aliased

from echomind_lib.access.documents import documents_of_scopes
from echomind_lib.access.principal import Principal
from echomind_lib.access.rule import Rule
from echomind_lib.access.rules import Action, knowledge_levels, knowledge_levels_shared
from echomind_lib.access.sources import SourcesRule, sources_readable
from echomind_lib.db.models.knowledge import KnowledgeEntity, KnowledgeSource

_IS_SUPERADMIN: Final = bindparam("reader_is_superadmin", type_=Boolean)


@dataclass(frozen=True, slots=True)
class KnowledgeRule:
    """A rule for entities: access to their level, and to all their source documents.

    Attributes:
        of_levels: Condition on their levels.
        of_sources: Condition on their documents.
        for_superadmins: Whether superadmins are exempt from the condition on documents: entities that nobody may read
            any more have to be managed, too.
    """

    of_levels: Rule
    of_sources: SourcesRule
    for_superadmins: bool = False

    def where(self, entity: Any = KnowledgeEntity, person: Any = None) -> ColumnElement[bool]:
        """Returns the rule as an SQL condition, as `Rule.where`."""
        drawn = self.of_sources.where(KnowledgeSource.knowledge_id, entity.id, person)
        if self.for_superadmins:
            drawn = or_(_IS_SUPERADMIN if person is None else any_(person.roles) == "superadmin", drawn)
        return and_(self.of_levels.where(entity, person), drawn)

    def values(self, principal: Principal) -> dict[str, Any]:
        """Returns the values of the parameters of `where`, by name."""
        values = self.of_levels.values(principal) | self.of_sources.values(principal)
        return values | ({_IS_SUPERADMIN.key: principal.has_role("superadmin")} if self.for_superadmins else {})


_RULES: Final[dict[Action, KnowledgeRule]] = {
    action: KnowledgeRule(knowledge_levels(action), sources_readable(), for_superadmins=True)
    for action in ("read", "manage")
}
_LISTED: Final = KnowledgeRule(knowledge_levels_shared(), sources_readable(), for_superadmins=True)
_OF_SCOPES: Final = KnowledgeRule(knowledge_levels_shared(), SourcesRule(documents_of_scopes()))


def knowledge(action: Action) -> KnowledgeRule:
    """Returns the rule for opening or changing entities."""
    return _RULES[action]


def knowledge_listed() -> KnowledgeRule:
    """Returns the rule for listing entities."""
    return _LISTED


def has_knowledge(person: Any) -> ColumnElement[bool]:
    """Returns the condition that any individual or shared knowledge exists for a person.

    Its documents are not checked, which keeps claims cheap; searches check them.

    Args:
        person: `User` or an alias of it.
    """
    entity = aliased(KnowledgeEntity, name="known")
    of_all = exists().where(entity.level.in_(["organization", "public"]))
    own = exists().where(entity.user_id == person.id, entity.level == "individual")
    return or_(of_all.correlate_except(entity), own.correlate_except(entity))


def knowledge_of_scopes() -> KnowledgeRule:
    """Returns the rule for entities that are searched for the reader's own questions, as `connectors_of_scopes`."""
    return _OF_SCOPES
