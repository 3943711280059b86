from .own_questions import Question, Settings, of_questions
from .question_folder import Answer, AnswerRun
from .question_task import NoAnswer, QuestionKind
from .task_kinds import Asked, TaskKind, add

__all__ = [
    "Answer",
    "AnswerRun",
    "Asked",
    "NoAnswer",
    "Question",
    "QuestionKind",
    "Settings",
    "TaskKind",
    "add",
    "of_questions",
]
