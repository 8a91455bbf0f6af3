import type { Lang } from '../../../../../embed/src/words.ts'

/** The words of the page at `/`. The docs and the reference that it leads to are in English alone, which `english` says. */
export interface HomeWords {
  readonly question: string
  readonly sentence: string
  /** The name of the part with the polls of the demo. */
  readonly demo: string
  readonly next: string
  readonly console: readonly [title: string, text: string]
  readonly docs: readonly [title: string, text: string]
  readonly reference: readonly [title: string, text: string]
  /** Above the two lines of HTML for the reader's own page. */
  readonly own: string
  readonly lines: string
  readonly copy: string
  readonly copied: string
  readonly license: string
  /** Null in English. */
  readonly english: string | null
}

export const HOME_WORDS: Readonly<Record<Lang, HomeWords>> = {
  en: {
    question: 'This or that?',
    sentence: 'Two-option polls for any page: one vote per device, and an exact count.',
    demo: 'Polls of the demo',
    next: 'Where to go next',
    console: ['Console', 'Create polls, see results and invite people, without code.'],
    docs: ['Docs', 'From the first poll to a server that you can monitor and back up.'],
    reference: ['Reference', 'Every operation of the API, with examples and a form to try it.'],
    own: 'On your own page',
    lines: 'These two lines show a poll. The poll brings its style, its language and its results.',
    copy: 'Copy',
    copied: 'Copied',
    license: 'MIT licensed',
    english: null,
  },
  de: {
    question: 'Dies oder das?',
    sentence: 'Umfragen mit zwei Antworten für jede Seite: eine Stimme pro Gerät, exakt gezählt.',
    demo: 'Umfragen der Demo',
    next: 'Wie es weitergeht',
    console: ['Konsole', 'Umfragen erstellen, Ergebnisse sehen und Leute einladen, ganz ohne Code.'],
    docs: ['Dokumentation', 'Von der ersten Umfrage bis zum Server, den du überwachst und sicherst.'],
    reference: ['Referenz', 'Jeder Aufruf der API, mit Beispielen und einem Formular zum Ausprobieren.'],
    own: 'Auf deiner eigenen Seite',
    lines: 'Diese zwei Zeilen zeigen eine Umfrage. Sie bringt ihr Aussehen, ihre Sprache und ihre Ergebnisse mit.',
    copy: 'Kopieren',
    copied: 'Kopiert',
    license: 'MIT-Lizenz',
    english: 'auf Englisch',
  },
  fr: {
    question: 'Ceci ou cela\u00a0?',
    sentence: 'Des sondages à deux choix pour toute page : un vote par appareil, un décompte exact.',
    demo: 'Sondages de la démo',
    next: 'Et ensuite',
    console: ['Console', 'Créez des sondages, suivez les résultats et invitez votre équipe, sans code.'],
    docs: ['Documentation', 'Du premier sondage au serveur que vous surveillez et sauvegardez.'],
    reference: ['Référence', 'Chaque opération de l’API, avec des exemples et un formulaire pour l’essayer.'],
    own: 'Sur votre propre page',
    lines: 'Ces deux lignes affichent un sondage, avec son style, sa langue et ses résultats.',
    copy: 'Copier',
    copied: 'Copié',
    license: 'Licence MIT',
    english: 'en anglais',
  },
  es: {
    question: '¿Esto o aquello?',
    sentence: 'Encuestas de dos opciones para cualquier página: un voto por dispositivo y un recuento exacto.',
    demo: 'Encuestas de la demo',
    next: 'Qué hacer ahora',
    console: ['Consola', 'Crea encuestas, mira los resultados e invita a personas, sin código.'],
    docs: ['Documentación', 'De la primera encuesta a un servidor que puedes supervisar y respaldar.'],
    reference: ['Referencia', 'Todas las operaciones de la API, con ejemplos y un formulario para probarlas.'],
    own: 'En tu propia página',
    lines: 'Estas dos líneas muestran una encuesta, con su estilo, su idioma y sus resultados.',
    copy: 'Copiar',
    copied: 'Copiado',
    license: 'Licencia MIT',
    english: 'en inglés',
  },
  pt: {
    question: 'Isto ou aquilo?',
    sentence: 'Enquetes de duas opções para qualquer página: um voto por dispositivo e uma contagem exata.',
    demo: 'Enquetes da demonstração',
    next: 'Próximos passos',
    console: ['Console', 'Crie enquetes, veja resultados e convide pessoas, sem código.'],
    docs: ['Documentação', 'Da primeira enquete a um servidor que você pode monitorar e proteger com backups.'],
    reference: ['Referência', 'Todas as operações da API, com exemplos e um formulário para testar.'],
    own: 'Na sua própria página',
    lines: 'Estas duas linhas mostram uma enquete, com seu estilo, seu idioma e seus resultados.',
    copy: 'Copiar',
    copied: 'Copiado',
    license: 'Licença MIT',
    english: 'em inglês',
  },
  ja: {
    question: 'どっちにする？',
    sentence: 'どんなページにも置ける二択の投票。1台につき1票、集計は正確です。',
    demo: 'デモの投票',
    next: '次のステップ',
    console: ['コンソール', 'コードなしで投票を作成し、結果を確認し、メンバーを招待できます。'],
    docs: ['ドキュメント', '最初の投票から、監視とバックアップのできるサーバーまで。'],
    reference: ['リファレンス', 'APIのすべての操作を、例と試用フォームつきで説明します。'],
    own: '自分のページに置く',
    lines: 'この2行で投票が表示されます。デザイン、言語、結果も一緒に表示されます。',
    copy: 'コピー',
    copied: 'コピーしました',
    license: 'MITライセンス',
    english: '英語',
  },
  zh: {
    question: '选这个还是那个？',
    sentence: '可放在任何页面上的二选一投票：每台设备一票，计票准确无误。',
    demo: '演示投票',
    next: '接下来',
    console: ['控制台', '无需代码即可创建投票、查看结果并邀请成员。'],
    docs: ['文档', '从第一个投票，到可以监控和备份的服务器。'],
    reference: ['参考', 'API 的所有操作，附有示例和可直接试用的表单。'],
    own: '放到您自己的页面上',
    lines: '这两行代码即可显示一个投票，并自带样式、语言和结果。',
    copy: '复制',
    copied: '已复制',
    license: 'MIT 许可证',
    english: '英文',
  },
  ar: {
    question: 'هذا أم ذاك؟',
    sentence: 'استطلاعات بخيارين لأي صفحة: صوت واحد لكل جهاز، وعدّ دقيق.',
    demo: 'استطلاعات العرض التجريبي',
    next: 'ماذا بعد؟',
    console: ['لوحة التحكم', 'أنشئ الاستطلاعات واطّلع على النتائج وادعُ الآخرين، من دون برمجة.'],
    docs: ['التوثيق', 'من أول استطلاع إلى خادم يمكنك مراقبته ونسخه احتياطيًا.'],
    reference: ['المرجع', 'كل عمليات الواجهة البرمجية، مع أمثلة ونموذج لتجربتها.'],
    own: 'على صفحتك',
    lines: 'يعرض هذان السطران استطلاعًا بتصميمه ولغته ونتائجه.',
    copy: 'نسخ',
    copied: 'تم النسخ',
    license: 'رخصة MIT',
    english: 'بالإنجليزية',
  },
  hi: {
    question: 'यह या वह?',
    sentence: 'किसी भी पेज के लिए दो विकल्पों वाले पोल: हर डिवाइस से एक वोट, और सटीक गिनती।',
    demo: 'डेमो के पोल',
    next: 'आगे क्या करें',
    console: ['कंसोल', 'बिना कोड के पोल बनाएँ, नतीजे देखें और लोगों को आमंत्रित करें।'],
    docs: ['दस्तावेज़', 'पहले पोल से लेकर ऐसे सर्वर तक, जिसकी आप निगरानी कर सकें और बैकअप ले सकें।'],
    reference: ['संदर्भ', 'API के सभी ऑपरेशन, उदाहरणों और आज़माने के फ़ॉर्म के साथ।'],
    own: 'आपके अपने पेज पर',
    lines: 'ये दो पंक्तियाँ एक पोल दिखाती हैं, उसकी शैली, भाषा और नतीजों के साथ।',
    copy: 'कॉपी करें',
    copied: 'कॉपी हो गया',
    license: 'MIT लाइसेंस',
    english: 'अंग्रेज़ी में',
  },
  uk: {
    question: 'Це чи те?',
    sentence: 'Опитування з двома варіантами для будь-якої сторінки: один голос із пристрою й точний підрахунок.',
    demo: 'Опитування демо',
    next: 'Що далі',
    console: ['Консоль', 'Створюйте опитування, переглядайте результати й запрошуйте людей без коду.'],
    docs: ['Документація', 'Від першого опитування до сервера, який можна контролювати й резервувати.'],
    reference: ['Довідник', 'Усі операції API з прикладами та формою, щоб їх випробувати.'],
    own: 'На вашій сторінці',
    lines: 'Ці два рядки показують опитування з його стилем, мовою та результатами.',
    copy: 'Копіювати',
    copied: 'Скопійовано',
    license: 'Ліцензія MIT',
    english: 'англійською',
  },
}
