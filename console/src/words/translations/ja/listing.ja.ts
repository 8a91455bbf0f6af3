import type { en } from '../../english/en-listing.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  filters: {
    tag: 'タグ',
    category: 'カテゴリ',
    anyCategory: 'すべてのカテゴリ',
  },
  bulk: {
    choose: '選択: {title}',
    chosen: '{count} 件を選択中',
    clear: '選択を解除',
    undo: '取り消す',
    progress: '{count} 件中 {done} 件',
    tag: 'タグを追加',
    untag: 'タグを削除',
    closeText: 'これらの投票には誰も投票できなくなります。取り消すこともできます。',
    scheduleText:
      '空欄にすると、各投票の時刻はそのままです。終了日時を未来にすると、終了した投票が再開します。下書きは公開するまで始まりません。',
    archived: '{count} 件の投票をアーカイブしました。',
    archivedOne: '投票をアーカイブしました。',
    back: '{count} 件の投票を元に戻しました。',
    backOne: '投票を元に戻しました。',
    closed: '{count} 件の投票を終了しました。',
    closedOne: '投票を終了しました。',
    scheduled: '{count} 件の投票の日程を変更しました。',
    scheduledOne: '投票の日程を変更しました。',
    tagged: '{count} 件の投票にタグを付けました。',
    taggedOne: '投票にタグを付けました。',
    untagged: '{count} 件の投票からタグを削除しました。',
    untaggedOne: '投票からタグを削除しました。',
    undone: '{count} 件の投票を変更前に戻しました。',
    undoneOne: '投票を変更前に戻しました。',
    failed: '{count} 件の投票を変更できませんでした',
    failedOne: '1 件の投票を変更できませんでした',
    failedText: '選択したままなので、もう一度試せます。',
    notOpen: '受付中ではありません。',
    changed: 'ほかの人が変更しました。',
  },
}
