package io.github.sqlitehealth.witness;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which types of file system leave the machine, or the guest, or the kernel. Those are not named that keep locks and
 * mapped memory as a disk does.
 */
final class NetworkFileSystems {

    /** As {@code mountinfo} calls them; {@code fakeowner} is a folder of the host in Docker Desktop. */
    private static final Pattern REMOTE = Pattern.compile("nfs\\d*|cifs|smb.*|9p|virtiofs|vboxsf|prl_fs|vmhgfs|drvfs"
            + "|fakeowner|afs|openafs|afpfs|webdav|davfs|coda|ncpfs|ceph|glusterfs|lustre|beegfs|fhgfs|gpfs|pvfs2"
            + "|orangefs|panfs|wekafs|ocfs2|gfs2");

    /**
     * A file system of user space decides by itself what a lock and a mapped page are worth, so an unknown one is named.
     * These hold a disk, an image or an encrypted folder that nobody opens but through them, or the root of a container
     * without privileges. {@code fuseblk}, which is always a disk, has another name.
     */
    private static final Set<String> LOCAL_FUSE = Set.of(
            "fuse-overlayfs",
            "gocryptfs",
            "encfs",
            "cryfs",
            "securefs",
            "ntfs",
            "ntfs-3g",
            "lowntfs-3g",
            "exfat",
            "exfat-fuse",
            "ext2",
            "fuse-ext2",
            "fuse2fs",
            "fuseext2",
            "zfs",
            "apfs",
            "apfs-fuse",
            "hfsfuse",
            "dislocker",
            "squashfuse",
            "squashfuse_ll",
            "snapfuse",
            "erofsfuse");

    private NetworkFileSystems() {}

    static boolean isOne(String type) {
        String name = type.toLowerCase(Locale.ROOT);
        if (name.startsWith("fuse.")) {
            return !LOCAL_FUSE.contains(name.substring("fuse.".length()));
        }
        return name.equals("fuse")
                || name.equals("macfuse")
                || name.equals("osxfuse")
                || REMOTE.matcher(name).matches();
    }
}
