<?php
// The block, and the shortcode for editors without blocks.

defined('ABSPATH') || exit;

add_action('init', 'tossup_register_block');
add_shortcode('tossup', 'tossup_shortcode');

function tossup_register_block() {
    $block = dirname(TOSSUP_FILE) . '/blocks/poll';
    wp_register_script('tossup-service', plugins_url('blocks/poll/service.js', TOSSUP_FILE), array(), TOSSUP_VERSION, true);
    register_block_type($block, array('render_callback' => 'tossup_render_block'));
    $editor = 'tossup-poll-editor-script';
    wp_set_script_translations($editor, 'tossup-polls', dirname(TOSSUP_FILE) . '/languages');
    add_action('enqueue_block_editor_assets', 'tossup_give_settings_to_editor');
}

/** The editor reads public lists of the service itself, as the browser of a visitor does. */
function tossup_give_settings_to_editor() {
    $settings = tossup_settings();
    $settings['settingsPage'] = current_user_can('manage_options') ? admin_url('options-general.php?page=tossup-polls') : '';
    $json = wp_json_encode($settings, JSON_HEX_TAG | JSON_HEX_AMP);
    wp_add_inline_script('tossup-service', 'window.tossupSettings = ' . $json, 'before');
}

function tossup_render_block($attributes) {
    if (in_array($attributes['align'] ?? '', array('wide', 'full'), true) && empty($attributes['width'])) {
        $attributes['width'] = 'full';
    }
    $element = empty($attributes['name']) ? '' : tossup_element($attributes);
    return $element === '' ? '' : sprintf('<div %s>%s</div>', get_block_wrapper_attributes(), $element);
}

function tossup_shortcode($attributes) {
    $names = array('poll', 'campaign', 'brand', 'title', 'width', 'hide_title', 'hide_brand');
    $given = shortcode_atts(array_fill_keys(array_merge($names, TOSSUP_VALUES), ''), $attributes, 'tossup');
    $given += array('kind' => '', 'name' => '', 'hideTitle' => $given['hide_title'], 'hideBrand' => $given['hide_brand']);
    foreach (array_keys(TOSSUP_KINDS) as $kind) {
        if ($given[$kind] !== '' && $given['name'] === '') {
            $given = array_merge($given, array('kind' => $kind, 'name' => $given[$kind]));
        }
    }
    return tossup_element($given);
}
