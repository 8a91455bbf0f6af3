import type { en } from '../../english/en-listing.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  filters: {
    tag: 'Schlagwort',
    category: 'Kategorie',
    anyCategory: 'Alle Kategorien',
  },
  bulk: {
    choose: 'Auswählen: {title}',
    chosen: '{count} ausgewählt',
    clear: 'Auswahl aufheben',
    undo: 'Rückgängig',
    progress: '{done} von {count}',
    tag: 'Schlagwort hinzufügen',
    untag: 'Schlagwort entfernen',
    closeText: 'In diesen Umfragen kann dann niemand mehr abstimmen. Du kannst das rückgängig machen.',
    scheduleText:
      'Ein leeres Feld lässt jeder Umfrage ihre Zeit. Ein Ende in der Zukunft öffnet beendete Umfragen wieder. Ein Entwurf öffnet erst, wenn du ihn veröffentlichst.',
    archived: '{count} Umfragen sind archiviert.',
    archivedOne: 'Die Umfrage ist archiviert.',
    back: '{count} Umfragen sind wieder da.',
    backOne: 'Die Umfrage ist wieder da.',
    closed: '{count} Umfragen sind beendet.',
    closedOne: 'Die Umfrage ist beendet.',
    scheduled: '{count} Umfragen haben neue Zeiten.',
    scheduledOne: 'Die Umfrage hat neue Zeiten.',
    tagged: '{count} Umfragen haben das Schlagwort.',
    taggedOne: 'Die Umfrage hat das Schlagwort.',
    untagged: 'Das Schlagwort ist aus {count} Umfragen entfernt.',
    untaggedOne: 'Das Schlagwort ist aus der Umfrage entfernt.',
    undone: '{count} Umfragen sind wie vorher.',
    undoneOne: 'Die Umfrage ist wie vorher.',
    failed: '{count} Umfragen wurden nicht geändert',
    failedOne: 'Eine Umfrage wurde nicht geändert',
    failedText: 'Sie bleiben ausgewählt, damit du es noch einmal versuchen kannst.',
    notOpen: 'Sie ist nicht offen.',
    changed: 'Jemand anderes hat sie geändert.',
  },
}
