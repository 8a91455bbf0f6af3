import type { en } from '../../english/en-listing.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  filters: {
    tag: 'الوسم',
    category: 'الفئة',
    anyCategory: 'كل الفئات',
  },
  bulk: {
    choose: 'اختيار: {title}',
    chosen: 'المختار: {count}',
    clear: 'إلغاء الاختيار',
    undo: 'تراجع',
    progress: '{done} من {count}',
    tag: 'إضافة وسم',
    untag: 'إزالة وسم',
    closeText: 'لن يتمكن أحد من التصويت في هذه الاستطلاعات بعد الآن. يمكنك التراجع عن ذلك.',
    scheduleText:
      'اترك الوقت فارغًا ليحتفظ كل استطلاع بوقته. موعد انتهاء في المستقبل يعيد فتح الاستطلاعات المنتهية. لا تُفتح المسودة إلا بعد نشرها.',
    archived: 'عدد الاستطلاعات المؤرشفة: {count}.',
    archivedOne: 'أُرشف الاستطلاع.',
    back: 'عدد الاستطلاعات العائدة: {count}.',
    backOne: 'عاد الاستطلاع.',
    closed: 'عدد الاستطلاعات التي أُنهيت: {count}.',
    closedOne: 'أُنهي الاستطلاع.',
    scheduled: 'عدد الاستطلاعات ذات المواعيد الجديدة: {count}.',
    scheduledOne: 'للاستطلاع مواعيد جديدة.',
    tagged: 'عدد الاستطلاعات التي تحمل الوسم: {count}.',
    taggedOne: 'يحمل الاستطلاع الوسم.',
    untagged: 'عدد الاستطلاعات التي أُزيل منها الوسم: {count}.',
    untaggedOne: 'أُزيل الوسم من الاستطلاع.',
    undone: 'عدد الاستطلاعات التي عادت كما كانت: {count}.',
    undoneOne: 'عاد الاستطلاع كما كان.',
    failed: 'عدد الاستطلاعات التي لم تتغير: {count}',
    failedOne: 'لم يتغير استطلاع واحد',
    failedText: 'تبقى مختارة لتتمكن من المحاولة مرة أخرى.',
    notOpen: 'ليس مفتوحًا.',
    changed: 'غيّره شخص آخر.',
  },
}
