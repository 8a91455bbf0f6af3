import type { en } from '../../english/en-templates.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  start: {
    open: 'テンプレートを使う',
    title: '元にするもの',
    text: 'フォームに入力されます。保存するまで、何も保存されません。',
    templates: 'テンプレート',
    past: '過去の投票',
    find: '投票を検索',
    none: '一致する投票はありません。',
  },
  templates: {
    next: {
      name: '次は何を',
      use: '商品、味、テーマなど、次に作るものを選んでもらいます。',
      title: '次に作るのはどちらの味がいいですか？',
      a: '新しい味',
      b: '定番の味',
    },
    design: {
      name: '2 つのデザイン',
      use: '画像を 2 枚追加します。並び順は端末ごとに変わります。',
      title: 'どちらの表紙が好きですか？',
      a: '1 つ目',
      b: '2 つ目',
    },
    feedback: {
      name: '読んだあとに',
      use: '記事やヘルプ向け。結果はチームだけが見られます。',
      title: '疑問は解決しましたか？',
      a: 'はい',
      b: 'いいえ',
    },
    date: {
      name: '日程を決める',
      use: 'イベントや会議向け。終了日時も設定しましょう。',
      title: 'どちらが都合がいいですか？',
      a: '金曜の夜',
      b: '土曜の午後',
    },
    guess: {
      name: '勝者を予想',
      use: '試合や賞レース向け。開始前に終了します。投票した人は結果を見られます。',
      title: '今夜勝つのは？',
      a: 'ホームチーム',
      b: 'ビジターチーム',
    },
    room: {
      name: '会場を温める',
      use: 'ステージやオンライン会議での軽い質問。結果は全員が見られます。',
      title: '仕事がはかどるのはいつですか？',
      a: '朝',
      b: '夜',
    },
  },
}
