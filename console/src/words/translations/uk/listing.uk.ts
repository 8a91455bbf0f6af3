import type { en } from '../../english/en-listing.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  filters: {
    tag: 'Мітка',
    category: 'Категорія',
    anyCategory: 'Усі категорії',
  },
  bulk: {
    choose: 'Вибрати: {title}',
    chosen: 'Вибрано: {count}',
    clear: 'Зняти вибір',
    undo: 'Скасувати',
    progress: '{done} з {count}',
    tag: 'Додати мітку',
    untag: 'Прибрати мітку',
    closeText: 'У цих опитуваннях більше ніхто не зможе голосувати. Це можна скасувати.',
    scheduleText:
      'Порожнє поле залишає кожному опитуванню його час. Закриття в майбутньому знову відкриває закриті опитування. Чернетка відкриється лише після публікації.',
    archived: 'Опитувань в архіві: {count}.',
    archivedOne: 'Опитування в архіві.',
    back: 'Повернуто опитувань: {count}.',
    backOne: 'Опитування повернуто.',
    closed: 'Закрито опитувань: {count}.',
    closedOne: 'Опитування закрито.',
    scheduled: 'Опитувань із новим часом: {count}.',
    scheduledOne: 'Опитування має новий час.',
    tagged: 'Опитувань із міткою: {count}.',
    taggedOne: 'Опитування має мітку.',
    untagged: 'Мітку прибрано з опитувань: {count}.',
    untaggedOne: 'Мітку прибрано з опитування.',
    undone: 'Опитувань, що знову як раніше: {count}.',
    undoneOne: 'Опитування знову як раніше.',
    failed: 'Не змінено опитувань: {count}',
    failedOne: 'Одне опитування не змінено',
    failedText: 'Вони залишаються вибраними, щоб ви могли спробувати ще раз.',
    notOpen: 'Воно не відкрите.',
    changed: 'Його змінив хтось інший.',
  },
}
