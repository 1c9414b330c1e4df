// Columns by Arrow's C data interface, in C11: there and back from any slice, and whatever is no column.

#include <abreast.h>

#include "check.h"

enum { ROWS = 300, MOST = 40 };

static abreast_aead *gcm, *siv;
static uint8_t text[ROWS * MOST], nonces[ROWS * 12], validity[(ROWS + 7) / 8];
static int32_t ends[ROWS + 1];
static int64_t far_ends[ROWS + 1];
static int released;

static void release_schema(struct ArrowSchema *schema) { schema->release = NULL; }
static void release_array(struct ArrowArray *array) {
    ++released;
    array->release = NULL;
}

struct column {
    struct ArrowSchema schema;
    struct ArrowArray array;
    const void *buffers[3];
};

// Some rows of all, by offsets of 32 or 64 bits or by one length.
static void take(struct column *column, const char *format, int64_t offset, int64_t length) {
    *column = (struct column){.schema = {.format = format, .release = release_schema}};
    int narrow = format[0] == 'z' || format[0] == 'u', fixed = format[0] == 'w';
    column->buffers[0] = validity;
    column->buffers[1] = fixed ? (const void *)text : narrow ? (const void *)ends : (const void *)far_ends;
    column->buffers[2] = fixed ? NULL : text;
    column->array = (struct ArrowArray){
        .length = length,
        .null_count = -1,
        .offset = offset,
        .n_buffers = fixed ? 2 : 3,
        .buffers = column->buffers,
        .release = release_array,
    };
}

static int is_valid(int64_t row) { return validity[row / 8] >> row % 8 & 1; }

// The beginning and the length of a value that C gave.
static const uint8_t *value(const struct column *column, int64_t row, size_t *len) {
    row += column->array.offset;
    int64_t from, to;
    if (column->schema.format[0] == 'w') {
        from = row * 7;
        to = from + 7;
    } else if (column->schema.format[0] == 'z' || column->schema.format[0] == 'u') {
        const int32_t *at = column->array.buffers[1];
        from = at[row];
        to = at[row + 1];
    } else {
        const int64_t *at = column->array.buffers[1];
        from = at[row];
        to = at[row + 1];
    }
    *len = (size_t)(to - from);
    return (const uint8_t *)column->array.buffers[column->schema.format[0] == 'w' ? 1 : 2] + from;
}

static int encrypt(const abreast_aead *key, const struct column *from, struct column *to) {
    size_t len = key == gcm && from->array.length > 0 ? (size_t)from->array.length * 12 : 0;
    return abreast_column_encrypt(key, &from->schema, &from->array, NULL, 0, nonces, len, (const uint8_t *)"name", 4, NULL,
                                  NULL, &to->schema, &to->array);
}

static int decrypt(const abreast_aead *key, const struct column *from, struct column *to, size_t *invalid) {
    return abreast_column_decrypt(key, &from->schema, &from->array, NULL, 0, (const uint8_t *)"name", 4, NULL, NULL, invalid,
                                  &to->schema, &to->array);
}

static void release(struct column *column) {
    column->array.release(&column->array);
    column->schema.release(&column->schema);
    CHECK(!column->array.release && !column->schema.release);
}

static int is_same(const struct column *a, const struct column *b) {
    if (a->array.length != b->array.length) return 0;
    for (int64_t row = 0; row < a->array.length; ++row) {
        const uint8_t *bits = b->array.buffers[0];
        int valid = !bits || bits[row / 8] >> row % 8 & 1;
        if (valid != is_valid(a->array.offset + row)) return 0;
        size_t len, other;
        const uint8_t *bytes = value(a, row, &len), *others = value(b, row, &other);
        if (valid ? len != other || memcmp(bytes, others, len) != 0 : other != 0) return 0;
    }
    return 1;
}

static void there_and_back(void) {
    static const char *const formats[] = {"z", "u", "Z", "U", "w:7"};
    static const int64_t slices[][2] = {{0, ROWS}, {0, 0}, {ROWS, 0}, {0, 1}, {1, 1}, {3, 64}, {9, 129}, {ROWS - 1, 1}};
    for (size_t f = 0; f < 5; ++f) {
        for (size_t s = 0; s < sizeof slices / sizeof *slices; ++s) {
            for (int mode = 0; mode < 2; ++mode) {
                struct column plain, sealed, opened;
                take(&plain, formats[f], slices[s][0], slices[s][1]);
                OK(encrypt(mode ? siv : gcm, &plain, &sealed));
                CHECK(strcmp(sealed.schema.format, f == 2 || f == 3 ? "Z" : "z") == 0 && sealed.array.n_buffers == 3);
                for (int64_t row = 0; row < plain.array.length; ++row) {
                    size_t len, longer;
                    value(&plain, row, &len);
                    value(&sealed, row, &longer);
                    CHECK(longer == (is_valid(row + slices[s][0]) ? len + (mode ? 16 : 28) : 0));
                }
                // A consumer may move the structs.
                struct column moved = sealed;
                memset(&sealed, 0, sizeof sealed);
                size_t invalid = 7;
                OK(decrypt(mode ? siv : gcm, &moved, &opened, s % 2 ? &invalid : NULL));
                CHECK(invalid == (s % 2 ? 0 : 7) && is_same(&plain, &opened));
                release(&moved);
                release(&opened);
            }
        }
    }
    CHECK(released == 0);
}

// The rows that are not authentic become null, or refuse all.
static void changed(void) {
    struct column plain, sealed, opened;
    take(&plain, "z", 0, ROWS);
    OK(encrypt(gcm, &plain, &sealed));
    size_t len, invalid = 0;
    size_t count = 0;
    for (int64_t row = 5; row < ROWS; row += 50) {
        uint8_t *bytes = (uint8_t *)(uintptr_t)value(&sealed, row, &len);
        if (!is_valid(row)) continue;
        bytes[len - 1] ^= 1;
        ++count;
    }
    GIVES(ABREAST_TAG_MISMATCH, decrypt(gcm, &sealed, &opened, NULL));
    CHECK(!opened.array.release && !opened.schema.release);
    OK(decrypt(gcm, &sealed, &opened, &invalid));
    const uint8_t *bits = opened.array.buffers[0];
    CHECK(count > 3 && invalid == count && (size_t)(opened.array.null_count - sealed.array.null_count) == count);
    for (int64_t row = 0; row < ROWS; ++row) CHECK((bits[row / 8] >> row % 8 & 1) == (is_valid(row) && row % 50 != 5));
    release(&opened);
    // A value of another mode has another form.
    GIVES(ABREAST_TAG_MISMATCH, decrypt(siv, &sealed, &opened, NULL));
    release(&sealed);
}

// A prefix, and a string of associated data for each row.
static void with_rows(void) {
    struct column plain, strings, sealed, opened;
    take(&plain, "z", 2, 100);
    take(&strings, "Z", 2, 100);
    const uint8_t prefix[5] = {1, 0, 0, 0, 9};
    size_t invalid = 0;
    OK(abreast_column_encrypt(siv, &plain.schema, &plain.array, prefix, 5, NULL, 0, NULL, 0, &strings.schema, &strings.array,
                              &sealed.schema, &sealed.array));
    OK(abreast_column_decrypt(siv, &sealed.schema, &sealed.array, prefix, 5, NULL, 0, &strings.schema, &strings.array, NULL,
                              &opened.schema, &opened.array));
    CHECK(is_same(&plain, &opened));
    release(&opened);
    GIVES(ABREAST_TAG_MISMATCH,
          abreast_column_decrypt(siv, &sealed.schema, &sealed.array, prefix, 4, NULL, 0, &strings.schema, &strings.array, NULL,
                                 &opened.schema, &opened.array));
    GIVES(ABREAST_COLUMN_ROWS,
          abreast_column_decrypt(siv, &sealed.schema, &sealed.array, prefix, 5, prefix, 1, &strings.schema, &strings.array, NULL,
                                 &opened.schema, &opened.array));
    // Other associated data.
    size_t count = 0;
    for (int64_t row = 2; row < 102; ++row) count += (size_t)is_valid(row);
    OK(abreast_column_decrypt(siv, &sealed.schema, &sealed.array, prefix, 5, prefix, 1, NULL, NULL, &invalid, &opened.schema,
                              &opened.array));
    CHECK(invalid == count && opened.array.null_count == 100);
    release(&opened);
    --strings.array.length;
    GIVES(ABREAST_COLUMN_ROWS,
          abreast_column_decrypt(siv, &sealed.schema, &sealed.array, prefix, 5, NULL, 0, &strings.schema, &strings.array, NULL,
                                 &opened.schema, &opened.array));
    // A null where there is a value.
    take(&strings, "z", 0, 100);
    GIVES(ABREAST_COLUMN_ROWS,
          abreast_column_decrypt(siv, &sealed.schema, &sealed.array, prefix, 5, NULL, 0, &strings.schema, &strings.array, NULL,
                                 &opened.schema, &opened.array));
    release(&sealed);
}

static void refusals(void) {
    struct column plain, sealed;
    static const char *const types[] = {"i", "vz", "vu", "w:", "w:x", "w:-1", "+l", "", "zz", "n"};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        take(&plain, "z", 0, ROWS);
        plain.schema.format = types[i];
        GIVES(ABREAST_COLUMN_TYPE, encrypt(siv, &plain, &sealed));
        CHECK(!sealed.array.release && !sealed.schema.release);
    }
    take(&plain, "z", 0, ROWS);
    struct ArrowArray whole = plain.array, dictionary = whole;
    plain.array.dictionary = &dictionary;
    GIVES(ABREAST_COLUMN_TYPE, encrypt(siv, &plain, &sealed));
#define REFUSED(status, change)                      \
    do {                                             \
        take(&plain, "z", 0, ROWS);                  \
        change;                                      \
        GIVES(status, encrypt(siv, &plain, &sealed)); \
        CHECK(!sealed.array.release);                \
    } while (0)
    REFUSED(ABREAST_COLUMN, plain.array.release = NULL);
    REFUSED(ABREAST_COLUMN, plain.schema.release = NULL);
    REFUSED(ABREAST_COLUMN, plain.schema.format = NULL);
    REFUSED(ABREAST_COLUMN, plain.array.length = -1);
    REFUSED(ABREAST_COLUMN, plain.array.offset = -1);
    REFUSED(ABREAST_COLUMN, plain.array.offset = INT64_MAX);
    REFUSED(ABREAST_COLUMN, plain.array.n_buffers = 2);
    REFUSED(ABREAST_COLUMN, plain.array.n_children = 1);
    REFUSED(ABREAST_COLUMN, plain.array.null_count = ROWS + 1);
    REFUSED(ABREAST_COLUMN, (plain.array.null_count = 1, plain.buffers[0] = NULL));
    REFUSED(ABREAST_NULL_POINTER, plain.array.buffers = NULL);
    REFUSED(ABREAST_NULL_POINTER, plain.buffers[1] = NULL);
    REFUSED(ABREAST_NULL_POINTER, plain.buffers[2] = NULL);
    REFUSED(ABREAST_ALIGNMENT, plain.buffers[1] = (const char *)ends + 1);
    GIVES(ABREAST_NONCE_LENGTH, encrypt(siv, (take(&plain, "z", 0, ROWS), &plain), &sealed) == 0
                                    ? abreast_column_encrypt(siv, &plain.schema, &plain.array, NULL, 0, nonces, 12, NULL, 0, NULL,
                                                             NULL, (release(&sealed), &sealed.schema), &sealed.array)
                                    : -1);
    // Offsets: less than the one before, negative, beyond the last.
    static const int32_t bad[][4] = {{0, 5, 4, 9}, {-1, 3, 4, 9}, {0, -1, 4, 9}, {0, 3, 4, -9}, {0, 10, 12, 9}, {5, 3, 3, 3}};
    static const int64_t far_bad[][4] = {{0, 5, 4, 9}, {-1, 3, 4, 9}, {0, INT64_MAX, 4, 9}, {0, 3, 4, INT64_MIN}};
    for (size_t i = 0; i < 6; ++i) {
        REFUSED(ABREAST_COLUMN_OFFSETS, (plain.array.length = 3, plain.buffers[1] = bad[i]));
        if (i >= 4) continue;
        REFUSED(ABREAST_COLUMN_OFFSETS,
                (plain.schema.format = "Z", plain.array.length = 3, plain.buffers[1] = far_bad[i]));
    }
    // Structs that are one another.
    take(&plain, "z", 0, ROWS);
    GIVES(ABREAST_OVERLAP, encrypt(siv, &plain, &plain));
    CHECK(plain.array.release && plain.schema.release);
    GIVES(ABREAST_OVERLAP, abreast_column_encrypt(siv, &plain.schema, &plain.array, (const uint8_t *)&sealed, 8, NULL, 0, NULL, 0,
                                                  NULL, NULL, &sealed.schema, &sealed.array));
    GIVES(ABREAST_OVERLAP, abreast_column_decrypt(siv, &plain.schema, &plain.array, NULL, 0, NULL, 0, NULL, NULL,
                                                  (size_t *)&sealed.array, &sealed.schema, &sealed.array));
    GIVES(ABREAST_NULL_POINTER, abreast_column_encrypt(siv, &plain.schema, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, NULL,
                                                       &sealed.schema, &sealed.array));
    GIVES(ABREAST_NULL_POINTER,
          abreast_column_encrypt(siv, &plain.schema, &plain.array, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, &sealed.array));
    GIVES(ABREAST_NULL_POINTER, encrypt(NULL, &plain, &sealed));
    abreast_aead *aez;
    OK(abreast_aez_new(text, 48, NULL, &aez));
    GIVES(ABREAST_WRONG_KEY, encrypt(aez, &plain, &sealed));
    abreast_aead_free(aez);
}

int main(void) {
    for (size_t i = 0; i < sizeof text; ++i) text[i] = (uint8_t)(i * 11 + i / 256);
    for (size_t i = 0; i < sizeof nonces; ++i) nonces[i] = (uint8_t)(i * 5 + i / 256);
    for (size_t i = 0; i < sizeof validity; ++i) validity[i] = (uint8_t)(0xb7 ^ i);
    far_ends[0] = ends[0] = 3;
    for (int32_t i = 1; i <= ROWS; ++i) far_ends[i] = ends[i] = ends[i - 1] + i * 7 % MOST;
    abreast_cipher *mac, *ctr;
    OK(abreast_cipher_new("aes-256", text, 32, NULL, &mac));
    OK(abreast_cipher_new("aes-256", text + 32, 32, NULL, &ctr));
    OK(abreast_gcm_new(mac, &gcm));
    OK(abreast_siv_new(mac, ctr, &siv));
    there_and_back();
    changed();
    with_rows();
    refusals();
    abreast_aead_free(gcm);
    abreast_aead_free(siv);
    abreast_cipher_free(mac);
    abreast_cipher_free(ctr);
    printf("%d checks\n", checks);
    return 0;
}
