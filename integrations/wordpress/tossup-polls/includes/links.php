<?php
// Pasted links of our own service: WordPress would put them into a sandbox without storage, in which each reload is a new
// visitor. A page gets the element in place, as from the block; the preview of an editor gets a frame without that sandbox.

defined('ABSPATH') || exit;

add_action('init', 'tossup_register_links');

function tossup_register_links() {
    $address = tossup_settings()['address'];
    if ($address === '') {
        return;
    }
    $page = '#^' . preg_quote($address, '#') . '/(?<path>[pcb])/(?<name>[A-Za-z0-9_-]{1,128})/?(?:\?(?<query>[^\#]*))?(?:\#.*)?$#';
    wp_embed_register_handler('tossup', $page, 'tossup_show_link');
    wp_oembed_add_provider($address . '/*', $address . '/oembed');
    add_filter('http_allowed_safe_ports', tossup_port_filter($address), 10, 3);
}

function tossup_show_link($found) {
    // A filter of WordPress may have written the ampersands as characters of HTML.
    wp_parse_str(html_entity_decode($found['query'] ?? ''), $options);
    $options = array_filter($options, 'is_string');
    foreach (TOSSUP_FLAGS as $name) {
        $options[$name] = isset($options[$name]) && $options[$name] !== 'false' ? 'true' : '';
    }
    $kinds = array_combine(array_column(TOSSUP_KINDS, 1), array_keys(TOSSUP_KINDS));
    $allowed = array_intersect_key($options, array_flip(array_merge(TOSSUP_VALUES, TOSSUP_FLAGS)));
    $element = tossup_element($allowed + array('kind' => $kinds[$found['path']], 'name' => $found['name']));
    return $element === '' ? '' : '<div class="wp-block-tossup-poll">' . $element . '</div>';
}
