import type { en } from '../../english/en-listing.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  filters: {
    tag: 'Etiqueta',
    category: 'Categoria',
    anyCategory: 'Todas as categorias',
  },
  bulk: {
    choose: 'Escolher: {title}',
    chosen: 'Escolhidas: {count}',
    clear: 'Não escolher nenhuma',
    undo: 'Desfazer',
    progress: '{done} de {count}',
    tag: 'Adicionar uma etiqueta',
    untag: 'Remover uma etiqueta',
    closeText: 'Ninguém mais poderá votar nestas enquetes. Você pode desfazer isso.',
    scheduleText:
      'Um horário vazio mantém o de cada enquete. Um fechamento no futuro reabre enquetes fechadas. Um rascunho só abre depois que você o publica.',
    archived: '{count} enquetes estão arquivadas.',
    archivedOne: 'A enquete está arquivada.',
    back: '{count} enquetes estão de volta.',
    backOne: 'A enquete está de volta.',
    closed: '{count} enquetes estão fechadas.',
    closedOne: 'A enquete está fechada.',
    scheduled: '{count} enquetes têm novos horários.',
    scheduledOne: 'A enquete tem novos horários.',
    tagged: '{count} enquetes têm a etiqueta.',
    taggedOne: 'A enquete tem a etiqueta.',
    untagged: 'A etiqueta foi removida de {count} enquetes.',
    untaggedOne: 'A etiqueta foi removida da enquete.',
    undone: '{count} enquetes estão como antes.',
    undoneOne: 'A enquete está como antes.',
    failed: '{count} enquetes não mudaram',
    failedOne: 'Uma enquete não mudou',
    failedText: 'Elas continuam escolhidas, para que você possa tentar de novo.',
    notOpen: 'Ela não está aberta.',
    changed: 'Outra pessoa a alterou.',
  },
}
