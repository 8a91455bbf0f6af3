import type { en } from '../../english/en-listing.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  filters: {
    tag: 'Etiqueta',
    category: 'Categoría',
    anyCategory: 'Todas las categorías',
  },
  bulk: {
    choose: 'Elegir: {title}',
    chosen: 'Elegidas: {count}',
    clear: 'No elegir ninguna',
    undo: 'Deshacer',
    progress: '{done} de {count}',
    tag: 'Añadir una etiqueta',
    untag: 'Quitar una etiqueta',
    closeText: 'Nadie podrá votar ya en estas encuestas. Puedes deshacerlo.',
    scheduleText:
      'Si dejas una hora vacía, cada encuesta conserva la suya. Un cierre futuro vuelve a abrir las encuestas cerradas. Un borrador solo se abre cuando lo publicas.',
    archived: '{count} encuestas están archivadas.',
    archivedOne: 'La encuesta está archivada.',
    back: '{count} encuestas están de vuelta.',
    backOne: 'La encuesta está de vuelta.',
    closed: '{count} encuestas están cerradas.',
    closedOne: 'La encuesta está cerrada.',
    scheduled: '{count} encuestas tienen horas nuevas.',
    scheduledOne: 'La encuesta tiene horas nuevas.',
    tagged: '{count} encuestas tienen la etiqueta.',
    taggedOne: 'La encuesta tiene la etiqueta.',
    untagged: 'La etiqueta se ha quitado de {count} encuestas.',
    untaggedOne: 'La etiqueta se ha quitado de la encuesta.',
    undone: '{count} encuestas están como antes.',
    undoneOne: 'La encuesta está como antes.',
    failed: '{count} encuestas no han cambiado',
    failedOne: 'Una encuesta no ha cambiado',
    failedText: 'Siguen elegidas para que puedas volver a intentarlo.',
    notOpen: 'No está abierta.',
    changed: 'Otra persona la ha cambiado.',
  },
}
