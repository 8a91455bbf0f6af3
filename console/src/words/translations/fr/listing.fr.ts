import type { en } from '../../english/en-listing.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  filters: {
    tag: 'Étiquette',
    category: 'Catégorie',
    anyCategory: 'Toutes les catégories',
  },
  bulk: {
    choose: 'Sélectionner : {title}',
    chosen: 'Sélection : {count}',
    clear: 'Tout désélectionner',
    undo: 'Annuler',
    progress: '{done} sur {count}',
    tag: 'Ajouter une étiquette',
    untag: 'Retirer une étiquette',
    closeText: 'Plus personne ne pourra voter dans ces sondages. Vous pouvez annuler cette action.',
    scheduleText:
      'Un champ vide laisse à chaque sondage son horaire. Une fermeture à venir rouvre les sondages fermés. Un brouillon n’ouvre qu’une fois publié.',
    archived: '{count} sondages sont archivés.',
    archivedOne: 'Le sondage est archivé.',
    back: '{count} sondages sont rétablis.',
    backOne: 'Le sondage est rétabli.',
    closed: '{count} sondages sont fermés.',
    closedOne: 'Le sondage est fermé.',
    scheduled: '{count} sondages ont de nouveaux horaires.',
    scheduledOne: 'Le sondage a de nouveaux horaires.',
    tagged: '{count} sondages ont l’étiquette.',
    taggedOne: 'Le sondage a l’étiquette.',
    untagged: 'L’étiquette est retirée de {count} sondages.',
    untaggedOne: 'L’étiquette est retirée du sondage.',
    undone: '{count} sondages sont comme avant.',
    undoneOne: 'Le sondage est comme avant.',
    failed: '{count} sondages n’ont pas changé',
    failedOne: 'Un sondage n’a pas changé',
    failedText: 'Ils restent sélectionnés pour que vous puissiez réessayer.',
    notOpen: 'Il n’est pas ouvert.',
    changed: 'Quelqu’un d’autre l’a modifié.',
  },
}
