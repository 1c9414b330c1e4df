// Package abreast encrypts by libabreast: AES-GCM, AES-GCM-SIV and AEZ, a message a call or many side by side.
//
// A call copies nothing. Batches are flat: the messages of a batch lie one after the other in one buffer, so that Go need not
// pin a slice for each of them. The library is found by pkg-config.
package abreast

/*
#cgo pkg-config: abreast
#include <abreast.h>
#include <stdlib.h>

// Strings that lie one after the other, as an array of them. NULL if there is no memory.
static struct abreast_string *strings_of(const uint8_t *data, const size_t *lens, size_t count) {
	struct abreast_string *strings = calloc(count ? count : 1, sizeof *strings);
	for (size_t i = 0; strings && i < count; data += lens[i], ++i) {
		strings[i] = (struct abreast_string){data, lens[i]};
	}
	return strings;
}

static int aez_joined(int decrypt, const abreast_aead *key, const uint8_t *nonce, size_t nonce_len, const uint8_t *ad,
		const size_t *ad_lens, size_t ad_count, size_t tag_len, uint8_t *data, size_t len) {
	struct abreast_string *strings = strings_of(ad, ad_lens, ad_count);
	if (!strings) return ABREAST_OUT_OF_MEMORY;
	int status = (decrypt ? abreast_aez_decrypt_joined : abreast_aez_encrypt_joined)(
		key, nonce, nonce_len, strings, ad_count, tag_len, data, data, len);
	free(strings);
	return status;
}

// Messages that lie one after the other, with nonces and tags that do. At most so many at a time have their packets on the stack.
enum { AT_ONCE = 64 };

static int many(int operation, const uintptr_t *keys, size_t count, const uint8_t *nonces, size_t nonce_len, uint8_t *data,
		const size_t *lens, uint8_t *tags, size_t tag_len, int *statuses) {
	int worst = ABREAST_OK;
	for (size_t i = 0; i < count;) {
		struct abreast_packet packets[AT_ONCE] = {0};
		size_t some = count - i < AT_ONCE ? count - i : AT_ONCE;
		for (size_t j = 0; j < some; data += lens[i + j], ++j) {
			packets[j].key = (const void *)keys[i + j];
			packets[j].iv = nonces + (i + j) * nonce_len;
			packets[j].iv_len = nonce_len;
			packets[j].input = packets[j].output = data;
			packets[j].len = lens[i + j];
			packets[j].tag = tags + (i + j) * tag_len;
			packets[j].tag_len = tag_len;
			// A call that is refused as a whole writes no status.
			packets[j].status = ABREAST_NOT_PROCESSED;
		}
		int status = abreast_packets(operation, packets, some, sizeof *packets);
		if (status != ABREAST_OK) worst = status;
		for (size_t j = 0; j < some; ++j) statuses[i + j] = packets[j].status;
		i += some;
	}
	return worst;
}
*/
import "C"

import (
	"crypto/cipher"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// TagSize is the number of bytes of a tag, of AEADs and in batches.
const TagSize = 16

// Error is a status of the library other than success.
type Error int

// Error returns the library's sentence for a status.
func (e Error) Error() string { return "abreast: " + C.GoString(C.abreast_status_text(C.int(e))) }

func failed(status C.int) error {
	if status == C.ABREAST_OK {
		return nil
	}
	return Error(status)
}

// pointer returns the address of the first byte, or nil if there is none.
func pointer(data []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(data)) }

// ErrClosed says that a key was used after it was closed.
var ErrClosed = errors.New("abreast: the key is closed")

// Key is a key of AES-GCM, AES-GCM-SIV or AEZ. It is wiped when it is closed, or else when the collector finds it. Any number of
// goroutines may use it at once, and one may close it meanwhile: calls that have begun end as usual.
type Key struct {
	nonceSize int
	operation C.int

	mutex sync.Mutex
	// The handle, which is nil once the key is closed and no call uses it.
	handle *C.abreast_aead
	// The number of calls that use the handle.
	users  int
	closed bool
}

// acquire keeps the handle until release, unless the key is closed.
func (k *Key) acquire() error {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.closed {
		return ErrClosed
	}
	k.users++
	return nil
}

// release ends the use of the handle.
func (k *Key) release() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.users--
	k.freeUnused()
}

// freeUnused wipes the handle of a closed key that no call uses.
func (k *Key) freeUnused() {
	if k.closed && k.users == 0 {
		C.abreast_aead_free(k.handle)
		k.handle = nil
	}
}

func newKey(handle *C.abreast_aead, status C.int, nonceSize int, operation C.int) (*Key, error) {
	if err := failed(status); err != nil {
		return nil, err
	}
	key := &Key{handle: handle, nonceSize: nonceSize, operation: operation}
	runtime.SetFinalizer(key, (*Key).Close)
	return key, nil
}

// NewGCM makes a key of AES-GCM of 16, 24 or 32 bytes.
func NewGCM(key []byte) (*Key, error) {
	var handle *C.abreast_aead
	status := C.abreast_aes_gcm_new(pointer(key), C.size_t(len(key)), nil, &handle)
	return newKey(handle, status, 12, C.ABREAST_GCM_ENCRYPT)
}

// NewGCMSIV makes a key of AES-GCM-SIV (RFC 8452) of 16 or 32 bytes.
func NewGCMSIV(key []byte) (*Key, error) {
	var handle *C.abreast_aead
	status := C.abreast_gcm_siv_new(pointer(key), C.size_t(len(key)), nil, &handle)
	return newKey(handle, status, 12, C.ABREAST_GCM_SIV_ENCRYPT)
}

// NewAEZ makes a key of AEZ v5 of any length. As an AEAD it has nonces of 16 bytes.
func NewAEZ(key []byte) (*Key, error) {
	var handle *C.abreast_aead
	status := C.abreast_aez_new(pointer(key), C.size_t(len(key)), nil, &handle)
	return newKey(handle, status, 16, C.ABREAST_AEZ_ENCRYPT)
}

// Close wipes the key, or has the last of the calls that use it do so. A closed key encrypts nothing more: ErrClosed.
func (k *Key) Close() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.closed = true
	k.freeUnused()
	runtime.SetFinalizer(k, nil)
}

// NonceSize returns the number of bytes of a nonce.
func (k *Key) NonceSize() int { return k.nonceSize }

// Overhead returns the number of bytes of a tag.
func (k *Key) Overhead() int { return TagSize }

var _ cipher.AEAD = (*Key)(nil)

// extended returns dst with more bytes, in its own memory if that has room for them, and the new part of it.
func extended(dst []byte, more int) (whole, part []byte) {
	if cap(dst)-len(dst) >= more {
		whole = dst[:len(dst)+more]
	} else {
		whole = append(dst, make([]byte, more)...)
	}
	return whole, whole[len(dst):]
}

// checkNonce panics, as crypto/cipher's do, if the nonce has another length than NonceSize.
func (k *Key) checkNonce(nonce []byte) {
	if len(nonce) != k.nonceSize {
		panic(fmt.Sprintf("abreast: a nonce has %d bytes, and must have %d", len(nonce), k.nonceSize))
	}
}

// Seal encrypts a message and appends it with its tag to dst. It panics, as crypto/cipher's do, if the nonce has another length than
// NonceSize or the message is too long, and if the key is closed. As there, dst and plaintext overlap exactly or not at all.
func (k *Key) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	k.checkNonce(nonce)
	if err := k.acquire(); err != nil {
		panic(err)
	}
	defer k.release()
	whole, part := extended(dst, len(plaintext)+TagSize)
	message, tag := part[:len(plaintext)], part[len(plaintext):]
	status := C.abreast_aead_encrypt(k.handle, pointer(nonce), C.size_t(len(nonce)), pointer(additionalData),
		C.size_t(len(additionalData)), pointer(plaintext), pointer(message), C.size_t(len(plaintext)), pointer(tag), TagSize)
	if err := failed(status); err != nil {
		panic(err)
	}
	return whole
}

// Open decrypts a message with its tag and appends it to dst. If the tag is wrong, the new part of dst is zeros.
func (k *Key) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	k.checkNonce(nonce)
	if len(ciphertext) < TagSize {
		return nil, Error(C.ABREAST_TAG_MISMATCH)
	}
	if err := k.acquire(); err != nil {
		return nil, err
	}
	defer k.release()
	len_ := len(ciphertext) - TagSize
	whole, part := extended(dst, len_)
	status := C.abreast_aead_decrypt(k.handle, pointer(nonce), C.size_t(len(nonce)), pointer(additionalData),
		C.size_t(len(additionalData)), pointer(ciphertext), pointer(part), C.size_t(len_), pointer(ciphertext[len_:]), TagSize)
	if err := failed(status); err != nil {
		return nil, err
	}
	return whole, nil
}

// joined runs AEZ in place, with its associated data in one buffer.
func (k *Key) joined(decrypt C.int, nonce []byte, additionalData [][]byte, tau int, data []byte) error {
	if k.operation != C.ABREAST_AEZ_ENCRYPT {
		return Error(C.ABREAST_WRONG_KEY)
	}
	if err := k.acquire(); err != nil {
		return err
	}
	defer k.release()
	var flat []byte
	lens := make([]C.size_t, len(additionalData))
	for i, ad := range additionalData {
		flat, lens[i] = append(flat, ad...), C.size_t(len(ad))
	}
	status := C.aez_joined(decrypt, k.handle, pointer(nonce), C.size_t(len(nonce)), pointer(flat), unsafe.SliceData(lens),
		C.size_t(len(lens)), C.size_t(tau), pointer(data), C.size_t(len(data)))
	return failed(status)
}

// EncryptAEZ encrypts a message by AEZ, with a nonce of any length, any number of strings of associated data and a ciphertext that
// is tau bytes longer, and appends it to dst.
func (k *Key) EncryptAEZ(nonce []byte, additionalData [][]byte, tau int, plaintext, dst []byte) ([]byte, error) {
	if tau < 0 {
		return nil, fmt.Errorf("abreast: a ciphertext is %d bytes longer, and must be 0 or more", tau)
	}
	whole, part := extended(dst, len(plaintext)+tau)
	copy(part, plaintext)
	if err := k.joined(0, nonce, additionalData, tau, part); err != nil {
		return nil, err
	}
	return whole, nil
}

// DecryptAEZ decrypts what EncryptAEZ made and appends the message to dst.
func (k *Key) DecryptAEZ(nonce []byte, additionalData [][]byte, tau int, ciphertext, dst []byte) ([]byte, error) {
	if tau < 0 || len(ciphertext) < tau {
		return nil, Error(C.ABREAST_TAG_MISMATCH)
	}
	whole, part := extended(dst, len(ciphertext))
	copy(part, ciphertext)
	if err := k.joined(1, nonce, additionalData, tau, part); err != nil {
		return nil, err
	}
	return whole[:len(whole)-tau], nil
}

// Batch is many messages, each with its key, one after the other in flat buffers.
type Batch struct {
	// Keys has a key for each message, all of one mode.
	Keys []*Key
	// Nonces has NonceSize bytes for each message.
	Nonces []byte
	// Messages has all messages, which are encrypted and decrypted in place.
	Messages []byte
	// Lengths has the number of bytes of each message.
	Lengths []int
	// Tags has TagSize bytes for each message: written by Seal, read by Open.
	Tags []byte
}

// ErrBatch says that the lengths of a batch do not fit together.
var ErrBatch = errors.New("abreast: a batch has other numbers of keys, lengths, nonces, tags or bytes than its messages")

// Seal encrypts all messages in place and writes their tags.
func (b *Batch) Seal() error {
	_, err := b.run(0)
	return err
}

// Open decrypts all messages in place. It returns true for each message whose tag is right; the others are zeros, and then
// there is an error, too.
func (b *Batch) Open() ([]bool, error) {
	statuses, err := b.run(1)
	right := make([]bool, len(statuses))
	for i, status := range statuses {
		right[i] = status == C.ABREAST_OK
	}
	return right, err
}

func (b *Batch) run(decrypt C.int) ([]C.int, error) {
	count, total := len(b.Keys), 0
	if count == 0 {
		return nil, nil
	}
	if len(b.Lengths) != count || len(b.Tags) != count*TagSize || len(b.Nonces) != count*b.Keys[0].nonceSize {
		return nil, ErrBatch
	}
	handles, lens, statuses := make([]C.uintptr_t, count), make([]C.size_t, count), make([]C.int, count)
	for i, key := range b.Keys {
		if key.operation != b.Keys[0].operation {
			return nil, Error(C.ABREAST_WRONG_KEY)
		}
		if b.Lengths[i] < 0 || b.Lengths[i] > len(b.Messages)-total {
			return nil, ErrBatch
		}
		if err := key.acquire(); err != nil {
			return nil, err
		}
		defer key.release()
		handles[i], lens[i] = C.uintptr_t(uintptr(unsafe.Pointer(key.handle))), C.size_t(b.Lengths[i])
		total += b.Lengths[i]
	}
	if total != len(b.Messages) {
		return nil, ErrBatch
	}
	// The operation that decrypts has the number after the one that encrypts.
	status := C.many(b.Keys[0].operation+decrypt, unsafe.SliceData(handles), C.size_t(count), pointer(b.Nonces),
		C.size_t(b.Keys[0].nonceSize), pointer(b.Messages), unsafe.SliceData(lens), pointer(b.Tags), TagSize, unsafe.SliceData(statuses))
	return statuses, failed(status)
}
